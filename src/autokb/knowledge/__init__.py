"""The nouns of the product: frozen, without input or output."""
