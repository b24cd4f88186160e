"""Search, fusion, the gate, and the step from a hit to a better node."""
