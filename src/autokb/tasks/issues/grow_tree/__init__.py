"""Which parent issue and which attribute-specific children grow from this seed issue?"""
