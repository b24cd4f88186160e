"""Tasks that only measure: their answers test the knowledge base and never become part of it."""
