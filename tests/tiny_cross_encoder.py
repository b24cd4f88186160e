"""A cross-encoder in ONNX of two nodes, written byte by byte: the logit of a pair is the sum of its token ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

FLOAT, INT64 = 1, 7  # TensorProto.DataType
OPSET = 13


def save_tiny_cross_encoder(folder: Path, *, words: Sequence[str] = ("leak", "kettle"), logits: str = "sum") -> Path:
    """Write ``model.onnx`` and ``tokenizer.json``: word n has the id n + 1, every other word 0.

    ``logits`` is ``sum``, ``vector`` (one a token: no cross-encoder) or ``log`` (minus infinity for a sum of 0).
    """
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, **{word: n + 1 for n, word in enumerate(words)}}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes(_model(logits))
    return folder


def _model(logits: str) -> bytes:
    nodes = [_node("Cast", "input_ids", "floats", _field(5, _field(1, b"to") + _field(3, FLOAT) + _field(20, 2)))]
    last = "floats"
    if logits != "vector":
        nodes.append(_node("ReduceSum", last, "sum"))
        last = "sum"
    if logits == "log":
        nodes.append(_node("Log", last, "log"))
        last = "log"
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"tiny")
    graph += _field(11, _value("input_ids", INT64, ("one", "tokens"))) + _field(12, _value(last, FLOAT, ("a", "b")))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(2, OPSET))


def _node(operator: str, takes: str, gives: str, attributes: bytes = b"") -> bytes:
    return _field(1, takes.encode()) + _field(2, gives.encode()) + _field(4, operator.encode()) + attributes


def _value(name: str, kind: int, dimensions: Sequence[str]) -> bytes:
    shape = b"".join(_field(1, _field(2, one.encode())) for one in dimensions)
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def _field(number: int, value: int | bytes) -> bytes:
    """A field of a protocol buffer: a whole number, or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])
