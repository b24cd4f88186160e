"""Which of these parent issues are the same problem?"""
