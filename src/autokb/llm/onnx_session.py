"""A model in ONNX opened for a run on the processor, as the packaged encoder and a reranker of one's own are."""

from __future__ import annotations

import os
from typing import Any


def open_session(model: bytes | str, threads: int) -> Any:
    """Return a session of a model, given as its bytes or as its path, that computes in so many threads."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read at import; offline means that nothing is sent
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that wait by spinning take the cores from the search that follows the embedding, and from other requests.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
