"""Which executor the settings mean: work in this process, or an executor that a plug-in brings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from typing import Any

from autokb.core.errors import BadEntryError, as_value, shown_value
from autokb.core.executor import LOCAL, Executor
from autokb.core.plugins import built_in, call_implementation, code_of, installed, is_of_plugin, use
from autokb.core.settings import LOCAL_EXECUTOR


def check_executor(name: str) -> None:
    """Refuse an executor that is not known or not installed (BadInputError says what to do)."""
    if name == LOCAL_EXECUTOR:
        return
    if is_of_plugin(name):
        code_of("executors", name)
        return
    known = built_in("executors")
    if _spelling(name) not in known:
        spelt = " or ".join(", ".join((LOCAL_EXECUTOR, *known)).rsplit(", ", 1))
        raise BadEntryError(f"settings.yaml: executor must be {spelt}, not {shown_value(name)}.")
    extra = installed(known[_spelling(name)][0]).extra
    if extra and find_spec(extra) is None:
        needs = f"{as_value(name)} needs the extra: pip install 'autokb[{extra}]'."
        raise BadEntryError(f"settings.yaml: executor: {needs}")


@contextmanager
def open_executor(name: str) -> Iterator[Executor]:
    """Give the settings' executor for the length of a block; what it started ends with the block."""
    check_executor(name)
    if name == LOCAL_EXECUTOR:
        yield LOCAL
        return
    executor: Any
    if is_of_plugin(name):
        executor = call_implementation("executors", name)
    else:
        executor = use(*built_in("executors")[_spelling(name)])(*([name] if "://" in name else []))
    with closing(executor):
        yield executor


def _spelling(name: str) -> str:
    """Return how a declaration spells a name of the settings: one with an address as ``SCHEME://HOST:PORT``."""
    scheme, _, address = name.partition("://")
    return f"{scheme}://HOST:PORT" if address else name
