"""Does a chunk hold noise?"""
