"""The lines of past tickets in an export, which hold all that there is of them, whoever builds and answers from it."""

from __future__ import annotations

import json
from typing import Any

from autokb.stores.ticket_tables import NOTED, TICKET_CODEC, TICKETS_SETTING, read_tickets
from autokb.stores.workspace_file import WorkspaceFile


def ticket_lines(file: WorkspaceFile) -> list[dict[str, Any]]:
    """Return the lines of an export: every published ticket with its sections, and what was fitted on them."""
    lines: list[dict[str, Any]] = [
        {
            **TICKET_CODEC.body(one.ticket),
            "sections": [{"section": s.section, "text": s.text} for s in one.sections if s.text],
            "kind": "ticket",
            "id": ticket,
        }
        for ticket, one in read_tickets(file).items()
    ]
    noted = {name: json.loads(text) for name, key in NOTED.items() if (text := file.meta(key)) is not None}
    return [*lines, {**noted, "kind": "setting", "id": TICKETS_SETTING}] if noted else lines
