"""The HTTP service and its pages."""
