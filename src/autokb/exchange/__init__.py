"""Exports and imports of knowledge bases, decisions and feedback."""
