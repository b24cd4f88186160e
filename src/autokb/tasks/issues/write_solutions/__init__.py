"""Which solutions do the manuals have for this issue?"""
