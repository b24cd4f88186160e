"""What is asked and what became of it: the log, gaps, acceptance, outcomes, experiments, feedback."""
