"""Tickets read without a model: their sections, and what a question asks of them."""
