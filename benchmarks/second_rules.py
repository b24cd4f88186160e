"""Whether what is shown keeps the rules, by a second set of patterns that withheld nothing and by reading its finds.

The build withholds by the rules' own phrases and patterns, so by these Q_D is 1.0 by construction. The second set
(``data/second_rules``) was written from the texts of the rules alone and casts wide. What it finds was read: the places
that break no rule are in ``data/second_rules/false_alarms.txt``, by their hashes. ``python -m benchmarks.second_rules
--keep FOLDER`` prints everything that is not among them; FOLDER keeps the built workspaces.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from autokb.core.ids import digest
from autokb.core.nouns import DISPLAYED, Solution
from autokb.pipeline.steps.passages import find_passages
from autokb.stores.published import read_published
from autokb.stores.workspace import open_workspace
from autokb.text.plain_text import without_addresses
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder

DATA = Path(__file__).parent / "data" / "second_rules"
SHIPPED = ("headphones", "medical")
ALL = (*SHIPPED, "thunderbird")
WHOLE = re.compile(r"\\A|\(\?s\)")  # a pattern with these is for the whole of a solution, the others for one step
DENIED = re.compile(
    r"\b(?:do not|don.t|never|no|not|without|avoid|instead of|rather than|nobody|nothing|neither|cannot|can.t)\b", re.I
)
SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n")


@dataclass(frozen=True)
class Found:
    """A place that the second set names."""

    rule: str
    words: str
    where: str  # the sentence, or the whole
    shown_in: str  # the id of the solution or passage

    @property
    def key(self) -> str:
        """Name it in the list of what was read."""
        return digest(self.rule, self.where)[:16]


def run(options: argparse.Namespace) -> Result:
    """Build each domain and look at everything that can be shown."""
    figures = []
    for domain in SHIPPED if options.quick else ALL:
        with folder() as place:
            shown, found = look(domain, build(domain, place / domain))
        breaches = {one.shown_in for one in found if one.key not in read_as_false_alarms()}
        figures += [
            Figure(f"{domain}.shown", shown, "solutions and passages"),
            Figure(f"{domain}.found_by_second_set", len({one.shown_in for one in found}), "solutions and passages"),
            Figure(f"{domain}.broken_or_not_read", len(breaches), "solutions and passages", at_most=0),
        ]
    return Result("second_rules", figures)


def build(domain: str, workspace: Path) -> Path:
    """Build a domain with its own examples, or from the shared data."""
    if domain in SHIPPED:
        autokb("init", workspace, "--domain", domain, "--examples")
    else:
        thunderbird.stage(workspace, thunderbird.issues())
    thunderbird.build(workspace)
    return workspace


def look(domain: str, workspace: Path) -> tuple[int, list[Found]]:
    """Return how many solutions and passages can be shown, and where the second set says that they break a rule."""
    rules: dict[str, list[str]] = yaml.safe_load((DATA / f"{domain}.yaml").read_text(encoding="utf-8"))
    opened = open_workspace(workspace)
    with opened.file() as file:
        published = read_published(file)
        passages, _ = find_passages(file, list(published.kb.documents.values()), published.chunks, opened.spec)
    everything = [*published.kb.solutions.values(), *(passage.solution for passage in passages)]
    shown = [solution for solution in everything if solution.status in DISPLAYED]
    return len(shown), [one for solution in shown for one in _broken(solution, rules)]


def _broken(solution: Solution, rules: dict[str, list[str]]) -> Iterator[Found]:
    text = without_addresses(solution.text)
    sentences = [s.strip() for s in SENTENCE.split(text) if s.strip()]
    for rule, patterns in rules.items():
        for pattern in patterns:
            for where in [text] if WHOLE.search(pattern) else sentences:
                found = re.search(pattern, where, re.IGNORECASE)
                if found and (where is text or not DENIED.search(_clause(where, found))):
                    yield Found(rule, found[0][-60:], where, solution.id)


def _clause(where: str, found: re.Match[str]) -> str:
    """Return what was found with what stands before it since the last comma: "if it does not help, contact us"."""
    return where[: found.start()].rpartition(",")[2] + found[0]


def read_as_false_alarms() -> frozenset[str]:
    """Return the places that somebody read and that break no rule."""
    return frozenset((DATA / "false_alarms.txt").read_text(encoding="utf-8").split())


def main() -> None:
    """Print what the second set finds and nobody has read yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--domain", choices=ALL, action="append")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    known = read_as_false_alarms()
    for domain in options.domain or ALL:
        workspace = options.keep / domain
        shown, found = look(domain, workspace if workspace.exists() else build(domain, workspace))
        unread = {one.key: one for one in found if one.key not in known}
        print(f"# {domain}: {shown} shown, {len({one.shown_in for one in found})} found, {len(unread)} places not read")
        for key, one in sorted(unread.items(), key=lambda item: (item[1].rule, item[1].where)):
            print(f"{key} {one.rule} [{one.words}] {one.where[:400]!r}")


if __name__ == "__main__":
    main()
