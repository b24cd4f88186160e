"""What people said of findings; of this workspace alone, in no export."""

from __future__ import annotations

import json

from autokb.core.findings import SettledFinding
from autokb.core.ids import canonical_json
from autokb.stores.codecs import Codec
from autokb.stores.database import damaged_rows
from autokb.stores.schema import BEFORE_VERSIONS
from autokb.stores.sql import put
from autokb.stores.workspace_file import WorkspaceFile

KIND = "finding"
FINDING = Codec(SettledFinding, "id")


def keep_finding(file: WorkspaceFile, settled: SettledFinding) -> None:
    """Store what a person said of a finding, in the place of what was said before; call it inside a transaction."""
    row = (settled.id, canonical_json(FINDING.body(settled)))
    file.change(put("finding", "id, body", "id"), row)


def drop_finding(file: WorkspaceFile, finding: str) -> None:
    """Forget what was said of a finding; call it inside a transaction."""
    file.change("DELETE FROM finding WHERE id = ?", (finding,))


def read_findings(file: WorkspaceFile) -> dict[str, SettledFinding]:
    """Return what people said of findings, by id."""
    rows = file.rows("SELECT id, body FROM finding ORDER BY id", lacked_by=BEFORE_VERSIONS)
    with damaged_rows(KIND):
        return {i: FINDING.read(json.loads(body), id=i) for i, body in rows}
