"""Which broad themes do these issues have?"""
