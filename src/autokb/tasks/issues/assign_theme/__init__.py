"""Which of these themes does this issue have?"""
