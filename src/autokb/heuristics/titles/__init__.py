"""The one line that says what an issue is about, and how the words of attribute values leave it."""
