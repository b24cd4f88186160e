"""Tasks that judge what the knowledge base holds."""
