"""Where things are kept: the workspace file, the vector index and the word index."""
