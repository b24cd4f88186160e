"""Which attributes and rules could this domain have?"""
