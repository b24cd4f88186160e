"""How well does a chunk answer a question?"""
