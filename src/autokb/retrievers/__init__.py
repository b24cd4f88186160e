"""Retrievers of other libraries over a knowledge base: a folder, or a server's URL."""
