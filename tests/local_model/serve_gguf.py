"""A process of its own that serves a GGUF file by llama.cpp's OpenAI-compatible server, on loopback and a free port.

It prints its address once it answers, and ends when its standard input does, so that it never outlives the tests.
"""

from __future__ import annotations

import os
import sys


def main(gguf: str, threads: int, context: int, embedding: bool) -> None:
    """Serve until standard input ends."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = gguf
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = context
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity = 0
    params.offline = True
    if embedding:
        params.embedding = True
        params.n_batch = params.n_ubatch = context
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()
    os._exit(0)  # the server's own threads would go on


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "embedding")
