"""Past tickets become trees of sections in a graph."""
