"""The chunkers that AutoChunker is compared with: one file a method, none leaves anything out."""
