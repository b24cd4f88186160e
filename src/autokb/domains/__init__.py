"""Complete small domains that ship with the product."""
