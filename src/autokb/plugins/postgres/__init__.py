"""Workspaces on a Postgres server: their tables, several machines, moves there and back, and search in them."""

from autokb.plugin import Plugin

STORE = "autokb.plugins.postgres.opening:open_store"
plugin = Plugin(
    "postgres",
    summary="Workspaces on a Postgres server, which any number of machines serve.",
    stores={f"{scheme}://USER@HOST/DATABASE?schema=NAME": STORE for scheme in ("postgresql", "postgres")},
    extra="postgres",
    built_in=True,
)
