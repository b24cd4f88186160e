"""Chunkers measured: judged tenets, intrinsic metrics without a judge, and the needed text that is found."""
