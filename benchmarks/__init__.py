"""One script per published table, plus time, memory, latency and scale; run them with ``python -m benchmarks``."""
