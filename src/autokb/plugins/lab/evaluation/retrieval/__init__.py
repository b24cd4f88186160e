"""Retrieval systems measured: metrics, data sets, experiments, paraphrased queries and baselines."""
