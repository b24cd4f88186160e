"""The quality of a knowledge base: granularity (Q_M), rules kept (Q_D), correctness (Q_C)."""
