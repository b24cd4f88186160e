"""The tables of the four papers: what they printed, and what was measured here under the same rows and columns."""
