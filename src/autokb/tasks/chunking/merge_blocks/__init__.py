"""Which paragraphs belong together, and which are noise?"""
