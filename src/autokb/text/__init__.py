"""Language processing: Markdown, words, sentences, and the lexicons that hold them as data."""
