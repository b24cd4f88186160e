"""A template of sections proposed from a sample of tickets."""
