"""What people decide on solutions: judgements, edits, history, and what to look at first."""
