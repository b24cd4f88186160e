"""What people and programs read of what is published: trees, lists, pages, search."""
