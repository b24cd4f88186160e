"""The file passes the suite that stores of plug-ins must pass; Postgres does in tests/plugins/postgres."""

from __future__ import annotations

from autokb.testing import StoreContract


class TestFile(StoreContract):
    def address(self) -> str:
        return ""
