"""The one door to models: requests, ledger, budget, prices, providers, batches and embedders."""
