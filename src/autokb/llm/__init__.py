"""The one client of models: requests, ledger, budget, prices, providers, batches and embedders."""
