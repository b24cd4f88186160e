"""The table of a team's own checks; of this workspace alone, in no version and no export."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from autokb.core.checks import Check, KeptChecks, check_json
from autokb.core.ids import canonical_json
from autokb.stores.codecs import Codec
from autokb.stores.database import damaged_rows
from autokb.stores.schema import BEFORE_VERSIONS
from autokb.stores.workspace_file import WorkspaceFile

KIND = "checks"
CHECK = Codec(Check)


def keep_checks(file: WorkspaceFile, checks: Iterable[Check]) -> KeptChecks:
    """Store checks, each in the place of one with its id; call it inside a transaction."""
    added = updated = unchanged = 0
    with file.reading() as db:
        for check in checks:
            body = canonical_json(check_json(check))
            row = db.execute("SELECT body FROM checks WHERE id = ?", (check.id,)).fetchone()
            if row is None:
                db.execute("INSERT INTO checks (id, body) VALUES (?, ?)", (check.id, body))
                added += 1
            elif row[0] != body:
                db.execute("UPDATE checks SET body = ? WHERE id = ?", (body, check.id))
                updated += 1
            else:
                unchanged += 1
    return KeptChecks(added, updated, unchanged)


def drop_checks(file: WorkspaceFile, ids: Sequence[str]) -> None:
    """Forget checks; call it inside a transaction."""
    with file.reading() as db:
        db.executemany("DELETE FROM checks WHERE id = ?", ((one,) for one in ids))


def read_checks(file: WorkspaceFile) -> tuple[Check, ...]:
    """Return all checks in the order of their adding."""
    with damaged_rows(KIND):
        rows = file.rows("SELECT body FROM checks ORDER BY number", lacked_by=BEFORE_VERSIONS)
        return tuple(CHECK.read(json.loads(body)) for (body,) in rows)
