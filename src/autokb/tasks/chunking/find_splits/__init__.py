"""After which of these pieces does a section end?"""
