"""Postgres passes the suite for stores, by our own address and by that of somebody else's plug-in."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from uuid import uuid4

import pytest
from benchmarks.postgres_server import PostgresServer

import installed_plugins
from autokb.cli import main
from autokb.core import plugins as found_plugins
from autokb.core.errors import AutokbWarning, BadEntryError, BadInputError
from autokb.core.plugins import PluginError, plugins
from autokb.stores.moving import move
from autokb.stores.store import is_address, store_of
from autokb.stores.workspace import Workspace, open_workspace
from autokb.testing import StoreContract
from real_postgres import needs_postgres

ADDRESS = "postgresql://ann:hush@db.example/kb?schema=shop"
NEEDS = "A Postgres server needs the extra: pip install 'autokb[postgres]'."
THEIRS = {
    "vault_plugin.py": """
from autokb.plugin import Plugin

plugin = Plugin("vault", stores={"engine": "vault_store:VaultStore"})
""",
    "vault_store.py": """
from autokb.plugins.postgres.store import PostgresStore


class VaultStore:
    def __init__(self, address):
        self.address = address
        self._kept = PostgresStore(address.replace("vault.engine:", "postgresql:"))

    def __getattr__(self, name):
        return getattr(self._kept, name)

    def begin_copy(self, owner):
        return VaultStore(self._kept.begin_copy(owner).address.replace("postgresql:", "vault.engine:"))
""",
}


@pytest.mark.slow
@needs_postgres
class TestPostgres(StoreContract):
    scheme = "postgresql"

    @pytest.fixture(autouse=True, scope="class")
    def _server(self, request: pytest.FixtureRequest, postgres: PostgresServer) -> None:
        request.cls.server = postgres

    def address(self) -> str:
        server: PostgresServer = self.server  # type: ignore[attr-defined]
        return server.url(f"c{uuid4().hex}").replace("postgresql", self.scheme, 1)


class TestOfSomebodyElse(TestPostgres):
    scheme = "vault.engine"

    @pytest.fixture(autouse=True, scope="class")
    def _installed(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
        place = tmp_path_factory.mktemp("vault")
        installed_plugins.write(place, "vault", THEIRS)
        with installed_plugins.on_path(place):
            yield


@pytest.mark.parametrize("address", ["old", "postgresql//ann:hush@db/kb", "mysql://ann:hush@db/kb", "vault.engine"])
def test_what_is_no_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(BadEntryError) as refused:
        store_of(address)
    assert str(refused.value) == (
        "settings.yaml: store, or AUTOKB_STORE, must be an address such as postgresql://USER@HOST/DATABASE?schema=NAME."
    )
    assert not is_address(address)


def test_an_address_of_a_plugin_that_is_missing_says_which(hand_made: Workspace) -> None:
    assert is_address("vault.engine://db/kb")
    with pytest.raises(PluginError, match="The plug-in vault is not installed"):
        store_of("vault.engine://db/kb")
    (hand_made.folder / "settings.yaml").write_text("store: vault.engine://db/kb\n", encoding="utf-8")
    with pytest.warns(AutokbWarning, match="not installed or do not load \\(vault\\)"):
        assert open_workspace(hand_made.folder).is_on_server


def test_without_the_extra_it_says_what_to_install(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [one for one in sys.modules if one.startswith("autokb.plugins.postgres.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadInputError) as refused:
        move(hand_made, ADDRESS)
    assert str(refused.value) == NEEDS
    with warnings.catch_warnings():
        warnings.simplefilter("error", AutokbWarning)
        plugins.cache_clear()
        assert "postgres" in plugins().installed  # which needs none of it to be listed
    (hand_made.folder / "settings.yaml").write_text(f"store: {ADDRESS}\n", encoding="utf-8")
    for command in ("show", "doctor"):
        assert main([command, str(hand_made.folder)]) != 0
        said = capsys.readouterr()
        assert NEEDS in said.out + said.err and "hush" not in said.out + said.err


def test_without_the_plugin_a_server_is_out_of_reach_and_a_file_is_not(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(found_plugins, "BUILT_IN", ())
    plugins.cache_clear()
    assert main(["show", str(hand_made.folder)]) == 0
    with pytest.raises(BadInputError, match="--to takes that of a plug-in which is installed, or a folder"):
        move(hand_made, ADDRESS)
    (hand_made.folder / "settings.yaml").write_text(f"store: {ADDRESS}\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["show", str(hand_made.folder)]) == 2
    assert "must be an address such as that of a plug-in which is installed" in capsys.readouterr().err
    monkeypatch.undo()
    plugins.cache_clear()
