"""The namespaces of ``SupportKB``: an operation is a method of one of them."""
