"""Whether the gate stops what makes a knowledge base worse, and lets through what does not.

Two shipped knowledge bases, their documents as Markdown, with their written questions as checks (`data/questions`:
those with one place that is right, or none). Faults in the documents are built for real: the text below every tenth
heading exchanged with that below another one, or gone. Faults that no document shows are planted in a candidate:
attributes dealt out among nodes and solutions anew, every tenth solution in the place of another one, the ranker's
weights zeroed. What must pass: a sentence more at the end of a page, and builds of what nobody changed.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest.mock import patch

from autokb.app import SupportKB
from autokb.core.ids import canonical_json
from autokb.core.settings import GateSettings
from autokb.pipeline.checks import READERS, ask_checks, pass_gate
from autokb.pipeline.gate.checks import Compared, refuse
from autokb.pipeline.gate.checks import run as figures_of
from autokb.pipeline.gate.trees import fit_of_trees
from autokb.pipeline.open_index import open_index
from autokb.retrieval import ranker
from autokb.stores.checks import read_checks
from autokb.stores.published import read_published
from autokb.text.markdown import sections
from benchmarks.answers import SHIPPED, make, questions
from benchmarks.figures import Figure, Result
from benchmarks.running import folder
from benchmarks.versions import FIELDS

TRIALS, BUILDS, REBUILDS = 10, 4, 100
TENTH = 10
GATE = GateSettings()
SETTINGS = "gate: {max_loss: {first: 0.02, outcome: 0.02}}\n"
Records = dict[tuple[str, str], dict[str, Any]]
Texts = dict[str, str]  # of documents by the names of their files


def run(options: argparse.Namespace) -> Result:
    """Plant each fault some times, in each knowledge base, and count what the gate stops."""
    bases, counts = (SHIPPED[:1], (2, 1, 5)) if options.quick else (SHIPPED, (TRIALS, BUILDS, REBUILDS))
    figures: list[Figure] = []
    for base in bases:
        with folder() as place:
            figures += _of_base(base, place, *counts)
    return Result("gate", figures)


def _of_base(base: str, place: Path, trials: int, builds: int, rebuilds: int) -> Iterator[Figure]:
    kb, texts = _guarded(base, place)
    now = kb.checks.run()
    yield Figure(f"{base}.checks", now.n)
    yield Figure(f"{base}.first", now.first.value)
    yield Figure(f"{base}.outcome", now.outcome.value)
    with closing(open_index(kb.workspace)) as opened:
        fit = fit_of_trees(opened.index, read_published(opened.file).raw_issues)
    of = f"of {len(fit.solutions)} solutions of {len(fit.by_issue)} issues"
    yield Figure(f"{base}.trees_fit", fit.share, of)
    for name, fault in PLANTED.items():
        stopped, other, trees = 0, 0, []
        for seed in range(trials):
            with kb.workspace.file() as file:
                _keep(file, fault, seed)
                passed = pass_gate(kb.workspace, file)
            assert passed.found is not None
            trees.append(passed.trees or 0.0)
            stopped += passed.refusal is not None
            other += sum(was.shown != one.shown for was, one in zip(now.checks, passed.found.checks, strict=True))
        yield Figure(f"{base}.{name}.stopped", stopped / trials, f"of {trials}", at_least=1)
        yield Figure(f"{base}.{name}.shown_first_differs", other / trials / now.n, "of checks")
        yield Figure(f"{base}.{name}.trees_fit", sum(trees) / trials)
    kb.versions.discard()
    yield Figure(f"{base}.weights_zeroed.stopped", _without_weights(kb), "of 1", at_least=1)
    refused = sum(kb.build().refusal is not None for _ in range(rebuilds))
    yield Figure(f"{base}.unchanged.stopped", refused, f"of {rebuilds}", at_most=0)
    for name, change in WRITTEN.items():
        stopped = 0
        for seed in range(builds):
            changed = dict(texts)
            change(changed, random.Random(seed))
            _write(place / "documents", changed)
            kb.add([place / "documents"])
            stopped += kb.build().refusal is not None
            kb.versions.roll_back(1)
        aim = {"at_most": 0.0} if name == "one_sentence_more" else {"at_least": 1.0}
        yield Figure(f"{base}.{name}.stopped", stopped / builds, f"of {builds}", **aim)
    kb.close()


def _guarded(base: str, place: Path) -> tuple[SupportKB, Texts]:
    """Make a knowledge base whose documents are Markdown that can be edited, with its checks and a gate."""
    first = SupportKB.open(make(base, place / "first"))
    documents = (first.views.document(one.id) for one in first.views.documents(1000).items)
    texts = {f"{Path(one.id).stem}.md": one.text or "" for one in documents}
    first.close()
    _write(place / "documents", texts)
    kb = SupportKB.create(place / "kb", base)
    (place / "kb" / "settings.yaml").write_text(SETTINGS, encoding="utf-8")
    kb = SupportKB.open(place / "kb")
    kb.add([place / "documents"])
    kb.add([Path(str(files("autokb.domains").joinpath(base, "issues")))], "issues", FIELDS)
    checks = place / "checks.jsonl"
    checks.write_text("".join(json.dumps(one) + "\n" for one in _checks(base)), encoding="utf-8")
    kb.build()
    kb.checks.add(checks)
    return kb, texts


def _write(target: Path, texts: Texts) -> None:
    target.mkdir(exist_ok=True)
    for name, text in texts.items():
        (target / name).write_text(text, encoding="utf-8")


def _checks(base: str) -> Iterator[dict[str, Any]]:
    """Return the written questions with one place that is right, or none, as checks."""
    for asked in questions(base):
        if asked["outcome"] == "abstains":
            yield {"id": asked["id"], "text": asked["question"], "outcome": "abstains"}
        elif len(asked["sections"]) == 1:
            (place,) = asked["sections"]
            document = f"{Path(place['document']).stem}.md"
            yield {"id": asked["id"], "text": asked["question"], "document": document, "heading": place["heading"]}


def _keep(file: Any, fault: Callable[[Records, random.Random], None], seed: int) -> None:
    """Keep a candidate that has a fault."""
    found: Records = {(kind, i): json.loads(body) for kind, i, body in file.lines()}
    fault(found, random.Random(seed))
    with file.transaction():
        file.keep_candidate({key: canonical_json(body) for key, body in found.items()}, {"date": "", "by": "a fault"})


def _deal_out_attributes(found: Records, dice: random.Random) -> None:
    """Give each node and solution the attributes of another one."""
    keys = sorted(key for key in found if key[0] in ("issue", "solution"))
    values = [found[key]["attributes"] for key in keys]
    dice.shuffle(values)
    for key, value in zip(keys, values, strict=True):
        found[key]["attributes"] = value


def _break_solutions(found: Records, dice: random.Random) -> None:
    """Put another solution's text, steps and sources in the place of every tenth one's."""
    keys = sorted(key for key in found if key[0] == "solution")
    for key in dice.sample(keys, len(keys) // TENTH):
        other = found[dice.choice(keys)]
        found[key] |= {name: other[name] for name in ("text", "steps", "evidence")}


def _exchange_sections(texts: Texts, dice: random.Random) -> None:
    """Let the texts below every tenth heading, of all documents, change places; the headings stay."""
    places = _tenth(texts, dice)
    bodies = [texts[name][start:end] for name, start, end in places]
    for (name, start, end), body in sorted(zip(places, [*bodies[1:], *bodies[:1]], strict=True), reverse=True):
        texts[name] = texts[name][:start] + body + texts[name][end:]


def _empty_sections(texts: Texts, dice: random.Random) -> None:
    """Take out the text below every tenth heading."""
    for name, start, end in sorted(_tenth(texts, dice), reverse=True):
        texts[name] = f"{texts[name][:start]}\n{texts[name][end:]}"


def _tenth(texts: Texts, dice: random.Random) -> list[tuple[str, int, int]]:
    """Return where the text below every tenth heading is."""
    places = []
    for name, text in sorted(texts.items()):
        for part in sections(text)[1:]:
            below = text.find("\n", part.start, part.own_end)
            if below >= 0 and text[below : part.own_end].strip():
                places.append((name, below, part.own_end))
    return dice.sample(places, len(places) // TENTH)


def _say_more(texts: Texts, dice: random.Random) -> None:
    """Add a sentence at the end of one document."""
    texts[dice.choice(sorted(texts))] += "\nThis page was read again in spring.\n"


PLANTED: Mapping[str, Callable[[Records, random.Random], None]] = {
    "attributes_dealt_out": _deal_out_attributes,
    "tenth_solution_broken": _break_solutions,
}
WRITTEN: Mapping[str, Callable[[Texts, random.Random], None]] = {
    "tenth_section_exchanged": _exchange_sections,
    "tenth_section_empty": _empty_sections,
    "one_sentence_more": _say_more,
}


def _without_weights(kb: SupportKB) -> int:
    """Return whether the gate would stop a ranker whose weights are all zero."""
    with kb.workspace.file() as file:
        checks = read_checks(file)
    before = figures_of(ask_checks(kb.workspace, checks, READERS))
    nothing = {
        name: dict.fromkeys(ranker.packaged_record()[name], 0.0) for name in ("weights", "weights_without_tokens")
    }
    with patch.object(ranker, "packaged_record", lambda: {**RECORD, **nothing}):
        ranker.packaged_ranker.cache_clear()
        now = figures_of(ask_checks(kb.workspace, checks, READERS))
    ranker.packaged_ranker.cache_clear()
    return int(refuse(Compared(now, before), GATE) is not None)


RECORD = ranker.packaged_record()
