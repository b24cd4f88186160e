"""Writes the packaged encoder's vectors of the everyday questions, so that no workspace has to embed them.

Run it after the list or the encoder has changed: ``python -m benchmarks.make_everyday_vectors``. Vectors that do not
belong to the list or the encoder at hand are not used, so forgetting it costs time and nothing else.
"""

from __future__ import annotations

import numpy as np

from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.retrieval.everyday_subjects import FILE, list_mark
from autokb.retrieval.gate_fitting import everyday_questions


def main() -> None:
    """Embed the English list and write it beside the code that reads it."""
    questions = [question for asked in everyday_questions("en").values() for question in asked]
    embedder = PackagedEmbedder()
    vectors = np.asarray(embedder.embed(questions), dtype=np.float16)
    np.savez_compressed(FILE, vectors=vectors, encoder=embedder.name, questions=list_mark(questions))
    print(f"{len(questions)} vectors, {FILE.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
