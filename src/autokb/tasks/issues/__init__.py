"""Rooms about issues."""
