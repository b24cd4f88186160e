"""Is a chunk of use for the task?"""
