"""Types of a model's reply: made for one request, so that its JSON schema enumerates and bounds all it can."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, create_model


class Wire(BaseModel):
    """Part of a model's reply: no field is optional, none may be added."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def wire(name: str, /, **fields: Any) -> type[Wire]:
    """Return a type made for one request: each field is its type, such as ``Literal[names]`` or an Annotated one."""
    required: dict[str, Any] = {field: (kind, ...) for field, kind in fields.items()}
    return create_model(name, __base__=Wire, **required)


def number_to(last: int, first: int = 1) -> Any:
    """Return the type of a number from ``first`` to ``last``, which a JSON schema enumerates."""
    return Annotated[Literal[tuple(range(first, last + 1))], BeforeValidator(_refuse_yes_and_no)]


def _refuse_yes_and_no(value: Any) -> Any:
    if isinstance(value, bool):  # a Literal takes true for 1
        raise ValueError("true and false are no numbers")
    return value
