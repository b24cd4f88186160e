"""The themes of what is shown; a few solutions need no whole knowledge base, so their records are read one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autokb.stores.database import damaged_rows
from autokb.stores.published import read_decisions
from autokb.stores.workspace_file import WorkspaceFile

# What leads from a solution to the name of its theme, by the kind of record.
READ = {"solution": ("issue_id",), "issue": ("parent_id", "seed"), "seed": ("theme",), "theme": ("name",)}


@dataclass
class ThemeNames:
    """Names of themes by issue and by solution; empty for what is not published, or of no theme.

    With ``of_many`` all records of a kind are read at once, in one snapshot of the file.
    """

    file: WorkspaceFile
    of_many: bool = False
    _of_issue: dict[str, str] = field(default_factory=dict)
    _issue_of: dict[str, str] = field(default_factory=dict)
    _written: dict[str, str] | None = None
    _read: dict[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)

    def of_issue(self, issue: str) -> str:
        """Return the theme of a node, which is that of its tree."""
        if issue not in self._of_issue:
            with damaged_rows("record"):
                self._of_issue[issue] = self._read_theme(issue)
        return self._of_issue[issue]

    def of_solution(self, solution: str) -> str:
        """Return the theme of the node that a solution is for; a passage of a document has none."""
        issue = self.issue_of(solution)
        return self.of_issue(issue) if issue else ""

    def issue_of(self, solution: str) -> str:
        """Return the node that a solution is for."""
        if solution not in self._issue_of:
            body = self._record("solution", solution)
            self._issue_of[solution] = str(body.get("issue_id") or "") or self._written_for(solution)
        return self._issue_of[solution]

    def _written_for(self, solution: str) -> str:
        if self._written is None:
            self._written = {one.id: one.issue_id for one in read_decisions(self.file).of_kind("written")}
        return self._written.get(solution, "")

    def _read_theme(self, issue: str) -> str:
        seen: set[str] = set()
        body = self._record("issue", issue)
        while body.get("parent_id") and body["parent_id"] not in seen:
            seen.add(body["parent_id"])
            body = self._record("issue", body["parent_id"])
        seed = self._record("seed", str(body.get("seed") or ""))
        return str(self._record("theme", str(seed.get("theme") or "")).get("name") or "")

    def _record(self, kind: str, record: str) -> Mapping[str, Any]:
        if not self.of_many:
            return (self.file.record(kind, record) if record else None) or {}
        if kind not in self._read:
            names = READ[kind]
            self._read[kind] = {
                i: dict(zip(names, values, strict=True)) for i, values in self.file.fields(kind, *names).items()
            }
        return self._read[kind].get(record, {})
