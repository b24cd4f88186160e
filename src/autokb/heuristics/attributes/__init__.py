"""Which attribute values a text states."""
