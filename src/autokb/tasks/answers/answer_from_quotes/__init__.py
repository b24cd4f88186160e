"""Replies to a customer from quotes alone."""
