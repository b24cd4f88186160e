"""Where the tables of a workspace lie, and what a store beside the file has to give.

Without ``store:`` in settings.yaml it is an SQLite file in the workspace's folder. An address there is opened by the
plug-in that declares its scheme (``Plugin.stores``): a function of the address that returns a ``Store``. What a store
must do is checked by ``StoreContract`` of ``autokb.testing``, which the file passes, too.

Its connection imitates that of ``sqlite3``; a typed port comes later. Threads share it. It has ``execute`` and
``executemany``, whose result has the rows, ``fetchone``, ``fetchall`` and ``rowcount``; ``in_transaction`` of this
thread, ``commit``, ``rollback`` and ``close``; ``read_only``, and ``wait_seconds``, which may be set. With ``BEGIN
IMMEDIATE`` it waits so long for another writer (WorkspaceBusyError), with ``BEGIN`` its thread reads one state, and
outside of both a statement is a transaction by itself. ``PRAGMA`` does nothing. What fails is an AutokbError.

Statements are those of this package, as ``sql`` says, and one that SQLite has otherwise: ``OVERRIDING SYSTEM VALUE``
where rows are copied with their numbers (``table_copies``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, cast

from autokb.core.errors import BadEntryError, BadInputError
from autokb.core.plugins import built_in, call_implementation, installed, is_of_plugin, use
from autokb.core.results import Result
from autokb.stores.schema import SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class StoreHealth(Result):
    """``version`` is that of SQLite or the server, ``schema`` that of the tables, which ``written_by`` knows.

    ``intact`` is None where only the server can tell; ``busy`` says who is at work, if anybody is.
    """

    kind: str
    version: str
    schema: str
    written_by: str
    bytes: int
    intact: bool | None
    writable: bool
    busy: str
    pgvector: str | None = None

    @property
    def is_current(self) -> bool:
        """Whether its tables are those of this version."""
        return self.schema == SCHEMA_VERSION


NO_ADDRESS = "settings.yaml: store, or AUTOKB_STORE, must be an address such as {}."


class Notices(Protocol):
    """What hears of one workspace's publications and keys."""

    def wait(self, seconds: float) -> bool:
        """Wait for a notice; returns whether one came (StoreAwayError where the store was lost)."""


class Store(Protocol):
    """The tables of one workspace by their address; made for each use, so what stays open is kept elsewhere.

    Every method raises StoreAwayError where the store cannot be reached, and no sentence shows a password.
    """

    address: str

    def connect(self) -> Any:
        """Open the tables, made where there are none and brought up to date (AutokbError: of another version)."""

    def build_lock(self, busy: str) -> AbstractContextManager[None]:
        """Hold the one build; WorkspaceBusyError begins with ``busy``. It is free once the process has died."""

    def health(self) -> StoreHealth:
        """Look at the tables without changing anything (AutokbError: there are none)."""

    def rewrite(self, table: str = "") -> None:
        """Write a table anew, or all, so that nothing is left of what was deleted."""

    def statements(self, tables: str) -> Iterable[str]:
        """Give the statements that make tables, which are written as SQLite takes them."""

    def without_password(self) -> str:
        """Return the address as it can be shown."""

    # -- the service, on several machines ----------------------------------------------------------

    def answer_or_fail(self) -> None:
        """From now on count as lost where it hangs."""

    def let_go(self) -> None:
        """Close what this process keeps open for later."""

    def notices(self) -> AbstractContextManager[Notices]:
        """Hear what is told when a transaction is committed that changed what readers see, or the keys."""

    def share_rates(self, emptied: Mapping[str, float]) -> Mapping[str, float]:
        """Add by key the seconds that requests took of its bucket; returns in how many seconds each is full again."""

    # -- moving ------------------------------------------------------------------------------------

    def begin_copy(self, owner: str) -> Store:
        """Return the store that is filled before it gets this one's address, with its tables; one that was begun stays.

        ``owner`` tells whose copy it is: BadInputError where either address holds anything else.
        """

    def end_copy(self) -> None:
        """Let numbers go on behind those that were copied, and give the copy this address, in one transaction."""

    def is_copy_of(self, owner: str) -> bool:
        """Return whether the tables are a copy of this owner that was not let go yet."""

    def forget_owner(self) -> None:
        """Forget whose copy the tables are, once they are the truth."""

    # -- searching ---------------------------------------------------------------------------------

    @property
    def searched(self) -> Any:
        """What finds what a question needs: a ``SearchedStore`` of ``autokb.pipeline``, None where nothing does."""


def store_of(address: str) -> Store:
    """Return the store with an address (BadInputError: no plug-in knows it, or the extra of one of ours is missing)."""
    scheme, _, rest = address.strip().partition(":")
    if is_of_plugin(scheme) and rest.startswith("//"):
        return cast(Store, call_implementation("stores", scheme, address))
    if (known := _known().get(scheme.lower())) is None:
        raise BadEntryError(NO_ADDRESS.format(an_address()))
    plugin, code = known
    try:
        return cast(Store, use(plugin, code)(address))
    except ImportError as error:
        needs = f"needs the extra: pip install 'autokb[{installed(plugin).extra}]'."
        raise BadInputError(f"A {plugin.capitalize()} server {needs}") from error


def is_address(text: str) -> bool:
    """Return whether a text is the address of a store, and no folder."""
    scheme = text.partition("://")[0]
    return scheme != text and (is_of_plugin(scheme) or scheme in _known())


def an_address() -> str:
    """Return how an address is written, for a sentence."""
    return next(iter(built_in("stores")), "that of a plug-in which is installed")


def _known() -> dict[str, tuple[str, str]]:
    """Return our own plug-ins' stores by their schemes: the plug-in and its code."""
    return {spelt.partition(":")[0]: code for spelt, code in built_in("stores").items()}
