"""Text processing for the library and the stand-in model: words, stems and passages."""
