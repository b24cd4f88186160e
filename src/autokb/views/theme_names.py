"""The themes of what is shown; a few solutions need no whole knowledge base, so their records alone are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from autokb.stores.codecs import read_decision
from autokb.stores.database import damaged_rows
from autokb.stores.workspace_file import WorkspaceFile

# What leads from a solution to the name of its theme, by the kind of record.
READ = {"solution": ("issue_id",), "issue": ("parent_id", "seed"), "seed": ("theme",), "theme": ("name",)}
NONE: Mapping[str, str] = {}  # of what is not published


@dataclass
class ThemeNames:
    """Names of themes by issue and by solution; empty for what is not published, or of no theme.

    With ``of_many`` all records of a kind are read at once, in one snapshot of the file; else each when it is needed,
    or those of several solutions ahead.
    """

    file: WorkspaceFile
    of_many: bool = False
    _of_issue: dict[str, str] = field(default_factory=dict)
    _issue_of: dict[str, str] = field(default_factory=dict)
    _written: dict[str, str] | None = None
    _read: dict[str, dict[str, Mapping[str, str]]] = field(default_factory=dict)

    def read_ahead(self, solutions: Sequence[str], issues: Iterable[str]) -> None:
        """Read what leads from these to their themes: a statement for all of a kind, since each may be a round trip."""
        self._read_some("solution", solutions)
        seeds: set[str] = set()
        wanted = {*issues, *map(self.issue_of, solutions)}
        while wanted:
            found = self._read_some("issue", wanted)
            seeds |= {one["seed"] for one in found}
            wanted = {one["parent_id"] for one in found}
        self._read_some("theme", [one["theme"] for one in self._read_some("seed", seeds)])

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
            with damaged_rows("decision"):
                written = self.file.decisions("written")
                self._written = {i: read_decision("written", i, body).issue_id for i, body in written}
        return self._written.get(solution, "")

    def _read_theme(self, issue: str) -> str:
        seen: set[str] = set()
        body = self._record("issue", issue)
        while body.get("parent_id") and body["parent_id"] not in seen:
            seen.add(body["parent_id"])
            body = self._record("issue", body["parent_id"])
        seed = self._record("seed", str(body.get("seed") or ""))
        return str(self._record("theme", str(seed.get("theme") or "")).get("name") or "")

    def _record(self, kind: str, record: str) -> Mapping[str, str]:
        if not self.of_many:
            self._read_some(kind, [record])
        elif kind not in self._read:
            self._read_some(kind, None)
        return self._read.get(kind, {}).get(record, {})

    def _read_some(self, kind: str, ids: Iterable[str] | None) -> list[Mapping[str, str]]:
        """Read the records with these ids that were not read yet, or all; returns those that there are."""
        known = self._read.setdefault(kind, {})
        wanted = None if ids is None else sorted({one for one in ids if one and one not in known})
        known.update(dict.fromkeys(wanted or (), NONE))
        found = self.file.fields(kind, *READ[kind], ids=wanted)
        read = {i: dict(zip(READ[kind], values, strict=True)) for i, values in found.items()}
        known.update(read)
        return list(read.values())
