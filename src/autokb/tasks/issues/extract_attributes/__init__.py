"""Which attribute values does this text say?"""
