"""The pages of the plug-in."""
