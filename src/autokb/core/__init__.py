"""The nouns that everything speaks of: frozen, made from content, without input or output."""
