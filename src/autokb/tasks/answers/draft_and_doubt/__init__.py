"""Replies to a customer, with the points of them that could be wrong."""
