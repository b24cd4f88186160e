"""Tasks about issues."""
