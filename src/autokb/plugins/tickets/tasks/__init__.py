"""Tasks about tickets: their sections, what a question asks of them, the answer from them, a template for them."""
