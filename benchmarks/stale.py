"""What goes stale: how many planted contradictions and changed sources are found in the shipped bases.

Contradictions are rare in what one team wrote, so they are planted: each step of the bases' sections that can be
turned into its opposite is, and compared with itself; and each step is said again in a harmless way. And each shipped
base gets its documents a second time, every other one with steps turned so, the rest with harmless ones: what is then
told is real where one of its two places was turned. Nobody approved
anything in the bases, so all solutions of the headphones are approved, and then half of the documents get other steps,
the other half other marks and line breaks alone.
``python -m benchmarks.stale --keep FOLDER`` keeps the bases for the next run.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from autokb.app import SupportKB
from autokb.core.nouns import DISPLAYED
from autokb.heuristics.contradictions import find_disagreement
from autokb.pipeline.steps.passages import find_passages
from autokb.stats.shares import share
from autokb.stores.published import read_published
from benchmarks.answers import make
from benchmarks.figures import Figure, Result, show, write
from benchmarks.running import folder

SHIPPED = ("headphones", "medical")
AMOUNT = re.compile(r"\b(\d{1,3})(?=\s?(?:seconds?|minutes?|hours?|days?|weeks?|months?)\b)")
SWITCH = re.compile(r"\b(switch|turn)((?:\s+[\w'-]+){0,4})\s+(on|off)\b", re.IGNORECASE)
STEP = re.compile(r"^(\s*(?:\d+\.|[-*]) )(.+)$")
PLANTED: Mapping[str, Callable[[str], str]] = {
    "amount": lambda step: AMOUNT.sub(lambda found: str(3 * int(found.group(1)) + 1), step),
    "switch": lambda step: SWITCH.sub(_switched, step),
    "forbidden": lambda step: f"Do not {step[:1].lower()}{step[1:]}",
}
HARMLESS: Mapping[str, Callable[[str], str]] = {
    "please": lambda step: f"Please {step[:1].lower()}{step[1:]}",
    "longer": lambda step: f"{step.rstrip('.')} as the manual says.",
}


def run(options: argparse.Namespace) -> Result:
    """Build the bases, and plant contradictions and changed sources."""
    with folder() as place:
        return measure(place)


def measure(place: Path) -> Result:
    """Measure on the bases of a folder, which are built where it lacks them."""
    figures: list[Figure] = []
    for name in SHIPPED:
        kb = SupportKB.open(make(name, place / name))
        figures += [*_planted(kb, name), *_second_manuals(place / name, name)]
        kb.close()
    return Result("stale", [*figures, *_changed_sources(place / SHIPPED[0])])


def _switched(found: re.Match[str]) -> str:
    verb, what, way = found.groups()
    return f"{verb}{what} {'off' if way.casefold() == 'on' else 'on'}"


def _planted(kb: SupportKB, name: str) -> Iterator[Figure]:
    """Say how many of the steps that can be turned into their opposite are found so, and how many harmless ones."""
    with kb.workspace.file() as file:
        published = read_published(file)
        passages, _ = find_passages(file, list(published.kb.documents.values()), published.chunks, kb.workspace.spec)
    steps = sorted({step for passage in passages for step in passage.solution.steps if "\n" not in step})
    for what, turn in {**PLANTED, **HARMLESS}.items():
        turned = [(step, turn(step)) for step in steps if turn(step) != step]
        some = share(sum(find_disagreement([one], [other]) is not None for one, other in turned), len(turned))
        yield Figure(f"{name}.planted.{what}", some.value, f"share of {some.n}")


def _second_manuals(base: Path, name: str) -> Iterator[Figure]:
    """Add each document a second time, turned or said otherwise, and say which contradictions are told then."""
    with folder() as place:
        kb = SupportKB.open(shutil.copytree(base, place / "kb"))
        turned: dict[str, set[str]] = {}
        with kb.workspace.file() as file, file.transaction():
            for n, one in enumerate(file.staged("documents")):
                turn = _turned if n % 2 == 0 else HARMLESS["please"]
                lines = [STEP.sub(lambda found, turn=turn: found[1] + turn(found[2]), line)
                         for line in str(one.body["text"]).split("\n")]  # fmt: skip
                second = f"second/{one.id}"
                before = set(str(one.body["text"]).split("\n"))
                turned[second] = {line.strip() for line in lines if n % 2 == 0 and line not in before}
                file.stage("documents", [replace(one, id=second, body={**one.body, "text": "\n".join(lines)})])
        kb.build()
        told = [one.places for one in kb.curation.stale("contradiction").findings]
        hits = [{p.quote.strip() for p in places} & set().union(*turned.values()) for places in told]
        right = share(sum(map(bool, hits)), len(told))
        yield Figure(f"{name}.second.told", right.n)
        yield Figure(f"{name}.second.precision", right.value, "share")
        yield Figure(f"{name}.second.precision.low", right.low, "share")
        steps = sum(map(len, turned.values()))
        recall = len(set().union(*hits)) / steps if steps else None
        yield Figure(f"{name}.second.recall", recall, f"share of {steps} steps")
        kb.close()


def _turned(step: str) -> str:
    """Turn a step that has an amount or a switch in it."""
    return next((new for turn in ("amount", "switch") if (new := PLANTED[turn](step)) != step), step)


def _changed_sources(base: Path) -> Iterator[Figure]:
    """Change approved sources in a copy of a base, and say which of the changes are told."""
    with folder() as place:
        kb = SupportKB.open(shutil.copytree(base, place / "kb"))
        with kb.workspace.file() as file:
            before = read_published(file).kb.solutions
        approved = [i for i, solution in before.items() if solution.status in DISPLAYED]
        kb.curation.approve(approved, author="ann")
        with kb.workspace.file() as file, file.transaction():
            documents = file.staged("documents")
            other = {one.id for one in documents[::2]}
            texts = [
                _with_other_steps(s.body["text"]) if s.id in other else _reformatted(s.body["text"]) for s in documents
            ]
            changed = zip(documents, texts, strict=True)
            file.stage("documents", [replace(one, body={**one.body, "text": text}) for one, text in changed])
        kb.build()
        found = kb.curation.stale("source_changed").findings
        told = {place.solution for one in found for place in one.places}
        gone = sum(not place.solution and place.document in other for one in found for place in one.places)
        of_other = {i for i in approved if {e.document for e in before[i].evidence} & other}
        rest = set(approved) - of_other
        yield Figure(
            "source_changed.planted.steps", (len(told & of_other) + gone) / len(of_other), f"share of {len(of_other)}"
        )
        yield Figure("source_changed.planted.marks", len(told & rest) / len(rest), f"share of {len(rest)}")
        kb.close()


def _with_other_steps(text: str) -> str:
    return re.sub(r"(?m)^(\s*(?:\d+\.|-) .*?)\.?$", r"\1 and wait a minute.", text)


def _reformatted(text: str) -> str:
    return re.sub(r"(?m)^(\s*)- ", r"\1* ", text).replace("\n\n", "\n\n\n").rstrip() + "\n\n"


def main() -> None:
    """Print the figures of bases that are kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stale", description=__doc__)
    parser.add_argument("--keep", type=Path, help="a folder for the bases, built once and looked at again")
    parser.add_argument("--store", action="store_true", help="keep the figures in benchmarks/results/")
    options = parser.parse_args()
    result = measure(options.keep) if options.keep else run(options)
    show(result)
    write(result, keep=options.store)


if __name__ == "__main__":
    main()
