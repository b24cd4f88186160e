"""Does this solution solve its issue?"""
