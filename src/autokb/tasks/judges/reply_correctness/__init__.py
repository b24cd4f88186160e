"""Does this suggestion say what a person replied?"""
