"""The store of an address; what it is made of needs the extra, and is imported when an address is opened."""

from __future__ import annotations

from autokb.stores.store import Store


def open_store(address: str) -> Store:
    """Return the store (BadInputError: the address is none; ImportError: the extra is missing)."""
    from autokb.plugins.postgres.store import PostgresStore

    return PostgresStore(address)
