"""Tasks about passages of documents."""
