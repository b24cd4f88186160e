"""Which broad themes issues have, what the themes are called, and which theme is nearest."""
