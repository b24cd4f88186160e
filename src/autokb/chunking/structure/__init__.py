"""What is seen of a document before anything is decided: its blocks, their features, headings, what holds together."""
