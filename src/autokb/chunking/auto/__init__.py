"""AutoChunker: a tree of clean chunks from a noisy page."""
