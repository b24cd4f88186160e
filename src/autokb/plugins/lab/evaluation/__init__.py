"""Metrics, data sets and experiments: systems are functions from a query to a ranking."""
