"""Replies to a customer from passages."""
