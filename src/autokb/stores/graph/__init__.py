"""Where sub-graphs of tickets come from: the workspace file itself, or a graph engine that holds a projection of it."""
