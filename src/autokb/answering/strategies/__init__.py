"""Ways to a reply: what is asked of a model, in how many requests, and what is looked up when."""
