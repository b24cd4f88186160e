"""Whether the passages bear out each point of drafted replies, and the replies after that."""
