"""Requests over the network with bounds on time, size and addresses."""
