"""Helpdesks: a customer's message comes in, the suggestion goes back as a note, the agent's reply is feedback."""
