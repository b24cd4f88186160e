"""Replies that come later: files that anyone may answer, and the batch interfaces of providers."""
