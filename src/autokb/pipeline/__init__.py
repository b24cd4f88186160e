"""The build: which runner answers a task, what is remembered, and the steps of the algorithm."""
