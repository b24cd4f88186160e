"""The same request in other words, by rules alone."""
