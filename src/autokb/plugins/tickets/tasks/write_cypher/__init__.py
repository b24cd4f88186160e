"""A question about tickets as Cypher."""
