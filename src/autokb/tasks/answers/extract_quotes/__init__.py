"""Quotes of passages that bear on what a customer asks."""
