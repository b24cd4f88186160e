"""Which parent issues and which attribute-specific children grow from these clusters of reports?"""
