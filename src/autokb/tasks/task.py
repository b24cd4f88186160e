"""A task answers one question; its input decides its key, its output is checked before anyone uses it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from autokb.core.ids import canonical_json, digest
from autokb.tasks.asking import Asking
from autokb.tasks.reply import Reply, ReplyError

__all__ = ["Reply", "ReplyError", "Task", "outside_key", "plain"]

I = TypeVar("I")  # noqa: E741
O = TypeVar("O", bound=Reply)  # noqa: E741


def outside_key(default: Any = None) -> Any:
    """Declare an input field that follows from the others (a vector of a text) and so stays out of the key."""
    return field(default=default, metadata={"key": False}, compare=False, repr=False)


def _accept(_item: Any, _reply: Any) -> None:
    """Accept every reply that reads."""


@dataclass(frozen=True)
class Task(Generic[I, O]):
    """One question: how its input looks, how its answer looks, how it is answered without a model.

    ``input`` is a frozen dataclass, ``output`` a ``Reply``. ``check`` raises ReplyError when an output is wrong
    for its input. Raise ``version`` whenever the offline answer to the same input changes: stored answers of the old
    version are then not used again. ``asking`` is how a model is asked instead.
    """

    name: str
    version: int
    input: type[I]
    output: type[O]
    offline: Callable[[I], O]
    check: Callable[[I, O], None] = _accept
    asking: Asking[I, O] | None = None

    def key(self, item: I) -> str:
        """Return the hash of everything that can change the offline answer."""
        return digest(self.name, str(self.version), canonical_json(plain(item)))

    def answer_offline(self, item: I) -> O:
        """Answer without a model; raises ReplyError when the answer does not fit its input."""
        reply = self.offline(item)
        self.check(item, reply)
        return reply


LEAVES = frozenset({str, int, float, bool, type(None)})
SHARED_AT_MOST = 64
_shared: dict[int, tuple[object, Any]] = {}


@lru_cache(maxsize=256)
def _key_fields(kind: type) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(kind) if f.metadata.get("key", True))


def plain(value: Any) -> Any:
    """Turn nouns into JSON values with one spelling; fields declared ``outside_key`` are left out."""
    kind = type(value)
    if kind in LEAVES:
        return value
    if kind is tuple or kind is list:
        return [plain(v) for v in value]
    if dataclasses.is_dataclass(kind):
        return {name: plain(getattr(value, name)) for name in _key_fields(kind)}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, frozenset | set):
        return sorted(plain(v) for v in value)
    return value


def _plain_mapping(value: Mapping[Any, Any]) -> Any:
    """Spell a mapping; one of nouns is the domain's configuration, the same object in thousands of inputs."""
    if not dataclasses.is_dataclass(next(iter(value.values()), None)):
        return {str(k): plain(v) for k, v in value.items()}
    known = _shared.get(id(value))
    if known is None or known[0] is not value:
        if len(_shared) >= SHARED_AT_MOST:
            _shared.clear()
        known = _shared[id(value)] = (value, {str(k): plain(v) for k, v in value.items()})
    return known[1]
