"""Readers: files become documents and raw issues, or a line in a report."""
