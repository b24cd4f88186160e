"""Rooms about passages of documents."""
