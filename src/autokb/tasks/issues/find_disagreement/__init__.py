"""Do the instructions of these two texts disagree, and in which lines?"""
