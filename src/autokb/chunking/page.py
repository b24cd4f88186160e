"""A document as the chunker reads it: numbered paragraphs, what is kept of them, and why the rest is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from autokb.chunking.blocks import NumberedBlock, numbered_blocks
from autokb.chunking.cutting import Noise
from autokb.chunking.outline import empty_headings
