"""Solutions made of the manuals' own steps, for one issue and its attributes."""
