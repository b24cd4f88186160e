"""Which few words of the passages answer this question?"""
