"""Documents become chunks with context."""
