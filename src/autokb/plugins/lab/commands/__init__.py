"""The commands of the plug-in, and what people see of them."""
