"""The HTTP service: a thin door over ``SupportKB``, as the command line is one."""
