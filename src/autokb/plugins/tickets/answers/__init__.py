"""Past tickets that are asked: opened, searched, answered from the right sub-graph."""
