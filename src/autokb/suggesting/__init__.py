"""Suggestions for live conversations: own words, past tickets, and what a model writes by a strategy."""
