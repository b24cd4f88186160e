"""Which attributes and rules a domain could have, by counting what issues and documents name."""
