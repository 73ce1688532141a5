"""Text as the library and the stand-in model read it: words, stems and passages."""
