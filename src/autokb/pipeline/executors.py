"""Which executor the settings mean; Ray is imported only when there is enough work for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from autokb.core.errors import BadEntryError, as_value, shown_value
from autokb.core.executor import LOCAL, Executor
from autokb.core.plugins import code_of, implementation, is_of_plugin
from autokb.core.settings import LOCAL_EXECUTOR, RAY_EXECUTOR, RAY_SCHEME


def check_executor(name: str) -> None:
    """Refuse an executor that is not known or not installed (BadInputError says what to do)."""
    if name == LOCAL_EXECUTOR:
        return
    if is_of_plugin(name):
        code_of("executors", name)
        return
    is_address = name.startswith(RAY_SCHEME) and len(name) > len(RAY_SCHEME)
    if name != RAY_EXECUTOR and not is_address:
        raise BadEntryError(f"settings.yaml: executor must be local, ray or ray://HOST:PORT, not {shown_value(name)}.")
    if find_spec("ray") is None:
        raise BadEntryError(f"settings.yaml: executor: {as_value(name)} needs the extra: pip install 'autokb[ray]'.")


@contextmanager
def open_executor(name: str) -> Iterator[Executor]:
    """Give the settings' executor for the length of a block; what it started ends with the block."""
    check_executor(name)
    if name == LOCAL_EXECUTOR:
        yield LOCAL
        return
    executor: Any
    if is_of_plugin(name):
        executor = implementation("executors", name)()
    else:
        from autokb.pipeline.ray_executor import RayExecutor

        executor = RayExecutor("" if name == RAY_EXECUTOR else name)
    try:
        yield executor
    finally:
        executor.close()
