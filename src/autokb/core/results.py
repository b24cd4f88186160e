"""What the commands give back, typed; ``as_json`` is the object that ``--json`` prints."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from autokb.core.errors import BadInputError
from autokb.notebook.html import html

if TYPE_CHECKING:
    from pandas import DataFrame

SHOWN_ENTRIES = 20  # of a list in a notebook; a data frame has all
SHOWN_CHARACTERS = 200  # of a text in a list there
THERE_ARE_MORE = "These are {shown:,} entries, and there are more: pass a larger limit, or the list's next as after."
_adapters: dict[Any, Any] = {}  # of pydantic, one a class of results, made when it is first printed


class Result:
    """A frozen dataclass that is its own JSON shape: every field under its name."""

    __slots__ = ()

    def as_json(self) -> dict[str, Any]:
        """Return the result as one JSON object."""
        from pydantic import TypeAdapter

        kind = type(self)
        if kind not in _adapters:
            _adapters[kind] = TypeAdapter(kind)
        shape: dict[str, Any] = _adapters[kind].dump_python(self, mode="json")
        return shape


class Listed:
    """What is a list under the name ``LIST`` of its JSON shape."""

    __slots__ = ()
    LIST: ClassVar[str] = "items"

    def to_pandas(self) -> DataFrame:
        """Return a data frame: an entry a row, a field of its JSON a column; the extra ``pandas`` (BadInputError).

        Where the list has a next page, it warns that these are not all (UserWarning).
        """
        try:
            import pandas
        except ImportError as error:
            raise BadInputError("A data frame needs the extra: pip install 'autokb[pandas]'.") from error
        shape = self.as_json()  # type: ignore[attr-defined]
        if shape.get("next") is not None:
            warnings.warn(THERE_ARE_MORE.format(shown=len(shape[self.LIST])), stacklevel=2)
        return pandas.DataFrame(shape[self.LIST])

    def _repr_html_(self) -> str:
        shape = self.as_json()  # type: ignore[attr-defined]
        entries = shape[self.LIST]
        cells = [{name: _cell(value) for name, value in one.items()} for one in entries[:SHOWN_ENTRIES]]
        columns = [name for name in (cells[0] if cells else ()) if any(one[name] for one in cells)]
        rows = [[one[name] for name in columns] for one in cells]
        more = shape.get("next") is not None
        return html("list", count=len(entries), more=more, columns=columns, rows=rows)


def _cell(value: Any) -> str:
    """Say a field of an entry in a line; lists, such as steps and evidence, are for whoever looks at one entry."""
    if isinstance(value, Mapping):
        named = ((name, of) for name, of in value.items() if isinstance(of, list) and of != ["Any"])
        return ", ".join(f"{name}: {' or '.join(map(str, of))}" for name, of in named)
    if value is None or isinstance(value, list | bool):
        return "yes" if value is True else ""
    line = " ".join(str(value).split())
    return line if len(line) <= SHOWN_CHARACTERS else f"{line[:SHOWN_CHARACTERS].rstrip()} …"


@dataclass(frozen=True, slots=True)
class Exported(Result):
    """What an export wrote and where, also one of a plug-in.

    JSONL counts ``lines``, formats for people ``solutions``, those of graphs ``tickets``.
    """

    file: str
    lines: int | None = None
    solutions: int | None = None
    tickets: int | None = None
