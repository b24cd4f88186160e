"""Use cases behind one front door."""
