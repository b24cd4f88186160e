"""At which of these paragraphs does the content shift?"""
