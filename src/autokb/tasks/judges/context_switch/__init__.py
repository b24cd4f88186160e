"""Does a chunk change its subject?"""
