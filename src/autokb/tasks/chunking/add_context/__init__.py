"""Which context does this passage miss?"""
