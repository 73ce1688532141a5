"""From the bytes of a page or a file to the text a person would read in it; hostile until read."""
