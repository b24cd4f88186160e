"""How results and progress look in a notebook; it knows none of the product's types."""
