"""Types of a model's reply: made for one request, so that its JSON schema enumerates and bounds all it can."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, create_model


class Wire(BaseModel):
    """Part of a model's reply: no field is optional, none may be added."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def wire(name: str, /, **fields: Any) -> type[Wire]:
    """Return a type made for one request: each field is its type, such as ``Literal[names]`` or an Annotated one."""
    required: dict[str, Any] = {field: (kind, ...) for field, kind in fields.items()}
    return create_model(name, __base__=Wire, **required)
