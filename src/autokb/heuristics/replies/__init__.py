"""Replies to a customer that are drafted from passages, and whether their passages bear them out."""
