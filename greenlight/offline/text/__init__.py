"""General rules about words, sentences, figures and names; they know no question and no library."""
