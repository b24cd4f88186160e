"""Can a chunk be understood by itself?"""
