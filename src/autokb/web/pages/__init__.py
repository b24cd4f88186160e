"""The pages for agents and editors: a file each, templates and scripts beside them; no build step."""
