"""Which solutions does a model know by itself, without any document?"""
