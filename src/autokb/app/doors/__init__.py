"""The namespaces of ``SupportKB``, one file each; a method opens what its use case needs, and calls it."""
