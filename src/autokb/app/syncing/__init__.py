"""Keeping a workspace in step with the sources that its settings name."""
