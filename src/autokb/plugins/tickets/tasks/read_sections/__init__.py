"""The sections of what the rules leave of a ticket."""
