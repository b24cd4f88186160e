"""Tables of plug-ins in the store of a workspace, made and brought up to date by numbered migrations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from autokb.core.errors import AutokbError, BadInputError, UnwritableWorkspaceError
from autokb.core.plugins import PluginError, installed, said
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

NOTE = "plugin "  # begins the key of ``meta`` with the number of the last migration of a plug-in's tables
_NOTED = "SELECT key, value FROM meta WHERE key >= 'plugin ' AND key < 'plugin!' ORDER BY key"


@contextmanager
def plugin_tables(workspace: Workspace, plugin: str, *, write: bool = False) -> Iterator[WorkspaceFile]:
    """Give the store of a workspace with a plug-in's tables up to date: ``rows`` reads, ``change`` writes.

    All inside is one transaction, which reads one state, or writes all or nothing.
    """
    with workspace.file() as file:
        update_tables(file, plugin)
        with file.transaction() if write else file.snapshot():
            yield file


def noted_plugins(file: WorkspaceFile) -> dict[str, int]:
    """Return the plug-ins that have tables in a store, each with the number of its last migration."""
    return {str(key).removeprefix(NOTE): int(value) for key, value in file.rows(_NOTED) if str(value).isdecimal()}


def update_tables(file: WorkspaceFile, plugin: str) -> None:
    """Run the migrations that a plug-in's tables lack, all or none (PluginError: one failed)."""
    migrations = installed(plugin).tables
    done = noted_plugins(file).get(plugin, 0)
    if done > len(migrations):
        raise AutokbError(
            f"The tables of the plug-in {plugin} are of version {done}, and the one that is installed knows "
            f"{len(migrations)}; install the version that wrote them."
        )
    if done == len(migrations):
        return
    if file.read_only:
        raise UnwritableWorkspaceError(
            f"The tables of the plug-in {plugin} cannot be made; make the workspace writable."
        )
    with file.transaction():
        for number in range(
            noted_plugins(file).get(plugin, 0), len(migrations)
        ):  # another process may have been faster
            try:
                for statement in _statements(file, migrations[number]):
                    file.change(statement)
            except Exception as error:
                raise PluginError(
                    f"The plug-in {plugin}: migration {number + 1} of its tables failed ({said(error)}); they are as "
                    "they were."
                ) from error
        file.note(NOTE + plugin, str(len(migrations)))


def _statements(file: WorkspaceFile, migration: str) -> Iterable[str]:
    if file.store is not None:
        return file.store.statements(migration)
    return filter(None, map(str.strip, migration.split(";")))


def migrations_of(file: WorkspaceFile) -> tuple[str, ...]:
    """Return the migrations of all tables of plug-ins in a store (BadInputError: one of these is not installed).

    Those of plug-ins of an earlier version are run first, so that a copy has the same tables.
    """
    found: list[str] = []
    for plugin in noted_plugins(file):
        try:
            update_tables(file, plugin)
            found += installed(plugin).tables
        except PluginError as error:
            raise BadInputError(
                f"The workspace has tables of the plug-in {plugin}, which must be there to move them. Nothing was "
                f"moved. {error}"
            ) from error
    return tuple(found)
