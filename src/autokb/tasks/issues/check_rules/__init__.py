"""Does this solution keep the rules of the domain?"""
