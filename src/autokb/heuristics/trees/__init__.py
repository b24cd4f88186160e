"""Parent and child issues that grow from a seed issue and what was reported around it."""
