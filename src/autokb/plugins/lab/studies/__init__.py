"""Evaluations of a workspace: what is asked of which systems, and what is reported."""
