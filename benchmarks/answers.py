"""What a person sees first: questions over five knowledge bases, graded against written gold.

``python -m benchmarks answers`` builds the five bases and asks everything; ``--tuning`` asks the half that may be
looked at while working. ``python -m benchmarks.answers tune`` prints the wrong ones of that half; ``--keep FOLDER``
keeps the workspaces for the next run, ``--development`` asks the questions of ``development.jsonl`` instead, on which
the gate was worked out.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from autokb.core.nouns import CUSTOMER, Message
from autokb.retrieval.index import QuestionIndex
from autokb.stats.bootstrap import mean_interval
from autokb.text.markdown import section_at, sections
from benchmarks import thunderbird
from benchmarks.attributes import comparable
from benchmarks.figures import Figure, Result
from benchmarks.retrieval import split
from benchmarks.running import autokb, folder

DATA = Path(__file__).parent / "data"
QUESTIONS = DATA / "questions"
BASES = ("headphones", "medical", "thunderbird", "espresso", "cashbook")
SHIPPED = ("headphones", "medical")
PARTS = ("tune", "report")
OFF_TOPIC = ("near", "far")
ABOUT_PLATFORMS = ("narrow", "open", "combined")  # kinds whose wrong sections are those of other platforms or people
OUT_OF_SCOPE = 300  # questions of clinc150 that are about nothing in its domains
CONFIDENCE_BANDS = (0.0, 0.4, 0.7, 1.01)
FIRST_SHOWN = 3  # solutions that a person reads before giving up
AIMS = {
    "outcome_right": 0.85,
    "first_shown_right": 0.65,
    "one_of_first_three_right": 0.85,
    "off_topic_refused": 0.9,
    "question_back_justified": 0.8,
    "attributes.precision": 0.95,
    "attributes.recall": 0.95,
}

Gold = dict[str, Any]
Place = tuple[str, int, int]  # document id, start, end


@dataclass(frozen=True)
class Graded:
    """One question, its gold and answer, and what of the answer counts; None is not measured for this question."""

    base: str
    gold: Gold
    answer: dict[str, Any]
    values: Mapping[str, float | None]


@dataclass
class Base:
    """A built knowledge base that can be asked, and where each section of its documents is."""

    name: str
    folder: Path
    _texts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Open the workspace."""
        from autokb.app.support_kb import SupportKB

        self.kb = SupportKB.open(self.folder)
        self.spec = self.kb.workspace.spec
        exported = self.folder / "answers-export.jsonl"
        self.kb.export(exported)
        for line in exported.read_text(encoding="utf-8").split("\n"):
            if line and (record := json.loads(line))["kind"] == "document":
                self._texts[record["id"]] = record["text"]

    def ask(self, text: str) -> dict[str, Any]:
        """Return the answer as ``ask --json`` gives it."""
        return self.kb.ask(text).as_json()

    @cached_property
    def index(self) -> QuestionIndex:
        """The knowledge base in memory."""
        from autokb.pipeline.open_index import open_index

        return open_index(self.kb.workspace).index

    @property
    def documents(self) -> Collection[str]:
        """The ids of all documents."""
        return self._texts.keys()

    def text(self, document: str) -> str:
        """Return the Markdown of a document."""
        return self._texts[document]

    def section(self, document: str, heading: str) -> tuple[int, int]:
        """Return where a section is, with its subsections; nowhere where intake dropped it, which counts as missed."""
        text = self._texts[document]
        if not heading:
            return 0, len(text)
        found = [s for s in sections(text) if s.headings and _plain(s.headings[-1]) == _plain(heading)]
        if not found:
            print(f"{self.name}: {document} has lost its heading {heading!r}")
            return 0, 0
        return found[0].start, found[0].end

    def heading_at(self, document: str, position: int) -> str:
        """Return the headings above a place, for a person to read."""
        found = sections(self._texts[document])
        return " > ".join(found[section_at(found, position)].headings)


def _plain(heading: str) -> str:
    return "".join(c for c in heading.casefold() if c.isalnum()).lstrip("0123456789")


# -- the knowledge bases and the questions ------------------------------------------------------------------------


def make(name: str, target: Path) -> Path:
    """Make and build one knowledge base, unless the folder has it already."""
    if (target / "knowledge.db").exists():
        return target
    if name in SHIPPED:
        autokb("init", target, "--domain", name, "--examples")
    elif name == "thunderbird":
        _, history = split(thunderbird.issues(), tuning=False)
        thunderbird.stage(target, history)
    else:
        autokb("init", target, "--domain", DATA / "knowledge_bases" / name / "domain.yaml")
        autokb("add", target, DATA / "knowledge_bases" / name / "documents")
        if (issues := DATA / "knowledge_bases" / name / "issues").is_dir():
            autokb("add", target, issues, "--as", "issues", "--id-field", "id", "--title-field", "title",
                   "--text-field", "text", "--date-field", "date", "--resolved-by-field", "resolved_by")  # fmt: skip
    ran = autokb("build", target)
    if ran.answer["failures"]:
        print(f"{name}: failures in the build, first {ran.answer['failures'][0]}")
    return target


def questions(name: str) -> list[Gold]:
    """Read the questions of a base; which half one belongs to is the hash of its id."""
    lines = (QUESTIONS / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return [{**(gold := json.loads(line)), "part": part_of(gold["id"])} for line in lines if line.strip()]


def development(name: str) -> list[Gold]:
    """Read the questions about a base that are for development alone, many of them off topic but near."""
    lines = (QUESTIONS / "development.jsonl").read_text(encoding="utf-8").split("\n")
    found = [{**json.loads(line), "part": "development"} for line in lines if line.strip()]
    return [gold for gold in found if gold["base"] == name]


def part_of(question_id: str) -> str:
    """Return ``tune`` or ``report``."""
    return PARTS[hashlib.sha256(question_id.encode()).digest()[0] % 2]


def out_of_scope(domains: Collection[str] = ()) -> list[str]:
    """Return questions of clinc150 that belong to none of its domains, else of those given, the first by their hash."""
    path = Path(__file__).resolve().parents[2] / "shared" / "data" / "E_rps" / "clinc150" / "queries.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = {
            r.get("text") or r["query"]
            for r in map(json.loads, file)
            if (r["domain"] in domains if domains else r["intent"] == "oos")
        }
    return sorted(found, key=lambda t: hashlib.sha256(t.encode()).hexdigest())[:OUT_OF_SCOPE]


# -- grading ------------------------------------------------------------------------------------------------------


def grade(base: Base, gold: Gold, answer: dict[str, Any]) -> Graded:
    """Hold one answer against its gold."""
    documents = {section["document"] for section in gold["sections"]}
    wrong = [w for w in gold["wrong"] if "document" in w]
    wrong_places = [(w["document"], *base.section(w["document"], w["heading"])) for w in wrong]
    excluded = {w["attribute"]: set(w["values"]) for w in gold["wrong"] if "attribute" in w}
    shown = list(shown_in_order(answer))
    hits = [is_right(base, gold, one) for one in shown]
    outcome = answer["outcome"]
    accepted = {gold["outcome"], *gold.get("also", ())}
    answerable = "answered" in accepted
    is_wrong = None
    if gold["wrong"]:
        is_wrong = float(bool(shown) and (_in_places(shown[0], wrong_places) or _is_for_others(shown[0], excluded)))
    values: dict[str, float | None] = {
        "outcome_right": float(outcome in accepted),
        "first_shown_right": float(bool(hits[:1] and hits[0])) if answerable else None,
        "one_of_first_three_right": float(any(hits[:FIRST_SHOWN])) if answerable else None,
        "right_document_first": float(_first_document(answer) in documents) if answerable else None,
        "off_topic_refused": float(outcome == "abstains") if gold["kind"] in OFF_TOPIC else None,
        "near_refused": float(outcome == "abstains") if gold["kind"] == "near" else None,
        "answerable_refused": float(outcome == "abstains") if "abstains" not in accepted else None,
        "unanswerable_refused": float(outcome == "abstains") if gold["kind"] == "unanswerable" else None,
        "question_back_justified": float("asks" in accepted) if outcome == "asks" else None,
        "wrong_section_first": is_wrong,
        "wrong_platform_first": is_wrong if gold["kind"] in ABOUT_PLATFORMS else None,
        **_attribute_values(comparable(gold["attributes"], base.spec), comparable(answer["attributes"], base.spec)),
    }
    return Graded(base.name, gold, answer, values)


def shown_in_order(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give what a person reads, in order: the solutions of the matches, else the passages."""
    for match in answer["matches"]:
        yield from match["solutions"]
    yield from answer.get("passages", ())


def _first_document(answer: Mapping[str, Any]) -> str | None:
    return answer["documents"][0]["document"] if answer["documents"] else None


def is_right(base: Base, gold: Gold, one: Mapping[str, Any]) -> bool:
    """Return whether something shown is of the sections that answer a question, and not for others than who asks."""
    right = [(s["document"], *base.section(s["document"], s["heading"])) for s in gold["sections"]]
    excluded = {w["attribute"]: set(w["values"]) for w in gold["wrong"] if "attribute" in w}
    return _in_places(one, right) and not _is_for_others(one, excluded)


def _in_places(one: Mapping[str, Any], places: Sequence[Place]) -> bool:
    """Return whether the first step, or most of the steps, stand in one of the places.

    A procedure brings what it refers to, which may be longer than the procedure itself.
    """
    evidence = one["evidence"]
    inside = [any(e["document"] == d and s <= e["start"] < end for d, s, end in places) for e in evidence]
    return bool(evidence) and (inside[0] or 2 * sum(inside) > len(inside))


def _is_for_others(one: Mapping[str, Any], excluded: Mapping[str, set[str]]) -> bool:
    return any(values and values <= excluded.get(name, set()) for name, v in one["attributes"].items()
               if (values := set(v)))  # fmt: skip


def _attribute_values(said: Mapping[str, Sequence[str]], read: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Count values that were said, were read, and both."""
    wanted = {(n, v.casefold()) for n, values in said.items() for v in values}
    found = {(n, v.casefold()) for n, values in read.items() for v in values}
    return {"said": len(wanted), "read": len(found), "said_and_read": len(wanted & found)}


# -- figures ------------------------------------------------------------------------------------------------------

MEANS = (
    "outcome_right",
    "first_shown_right",
    "one_of_first_three_right",
    "right_document_first",
    "off_topic_refused",
    "near_refused",
    "answerable_refused",
    "unanswerable_refused",
    "question_back_justified",
    "wrong_platform_first",
    "wrong_section_first",
)


def figures(graded: Sequence[Graded], prefix: str, detail: dict[str, Any], *, aims: bool) -> Iterator[Figure]:
    """Give the means over some questions; the intervals go into the detail."""
    for name in MEANS:
        values = [g.values[name] for g in graded]
        measured = [v for v in values if v is not None]
        aim = AIMS.get(name) if aims else None
        at_most = 0.0 if aims and name == "wrong_platform_first" else None
        if measured:
            interval = mean_interval(measured)
            detail[f"{prefix}.{name}"] = {**interval.as_json(), "n": len(measured)}
            unit = f"of {len(measured)} [{interval.low:.2f}, {interval.high:.2f}]"
            yield Figure(f"{prefix}.{name}", interval.value, unit, at_least=aim, at_most=at_most)
        else:
            yield Figure(f"{prefix}.{name}", None, "of 0", at_least=aim, at_most=at_most)
    said, read, both = (sum(g.values[n] or 0 for g in graded) for n in ("said", "read", "said_and_read"))
    for name, whole in (("precision", read), ("recall", said)):
        aim = AIMS[f"attributes.{name}"] if aims else None
        yield Figure(f"{prefix}.attributes.{name}", both / whole if whole else None, f"of {whole:g}", at_least=aim)


def is_first_right(base: Base, gold: Gold, answer: Mapping[str, Any]) -> bool:
    """Return whether the first thing shown answers a question; where it has no answer, nothing does."""
    first = next(shown_in_order(answer), None)
    return first is not None and is_right(base, gold, first)


def first_suggestions(bases: Mapping[str, Base], part: str) -> Iterator[tuple[float, bool]]:
    """Give the confidence of each first suggestion that is help, and whether it is right, by what it cites."""
    for name, base in bases.items():
        for gold in questions(name):
            if gold["part"] == part:
                found = base.kb.suggest([Message(CUSTOMER, gold["question"])]).as_json()
                if found["outcome"] == "answered" and found["suggestions"] and found["suggestions"][0]["evidence"]:
                    yield found["confidence"], is_right(base, gold, found["suggestions"][0])


def confidence_figures(told: Iterable[tuple[float, bool]], prefix: str) -> Iterator[Figure]:
    """Give what the confidence is worth over all that shows something, answers to the unanswerable included.

    Brier's score is the mean squared difference from what was so; whoever always says the share that is right has
    ``brier_of_the_share``.
    """
    pairs = list(told)
    said, right = np.array([c for c, _ in pairs]), np.array([is_so for _, is_so in pairs], dtype=np.bool_)
    unit = f"of {len(pairs)}"
    yield Figure(f"{prefix}.auc", area_under_curve(said[right], said[~right]), unit)
    yield Figure(f"{prefix}.brier", float(np.mean((said - right) ** 2)), unit)
    yield Figure(f"{prefix}.brier_of_the_share", float(right.mean() * (1 - right.mean())), unit)
    for low, high in itertools.pairwise(CONFIDENCE_BANDS):
        of_band = right[(said >= low) & (said < high)]
        share = float(of_band.mean()) if len(of_band) else None
        yield Figure(f"{prefix}.right_of_{low:.2f}_to_{min(high, 1):.2f}", share, f"of {len(of_band)}")


def area_under_curve(right: Sequence[float], wrong: Sequence[float]) -> float | None:
    """Return how often a right one has the higher confidence than a wrong one; ties count half."""
    won = sum((r > w) + (r == w) / 2 for r in right for w in wrong)
    return float(won / (len(right) * len(wrong))) if len(right) and len(wrong) else None


def told_of_answers(bases: Mapping[str, Base], graded: Iterable[Graded]) -> Iterator[tuple[float, bool]]:
    """Give the confidence of each answer that shows something, and whether the first thing shown is right."""
    for one in graded:
        if one.answer["outcome"] != "abstains":
            yield one.answer["confidence"], is_first_right(bases[one.base], one.gold, one.answer)


def run(options: argparse.Namespace) -> Result:
    """Build the bases, ask everything, and ask each base what is off topic for it."""
    parts = ("tune",) if options.tuning else PARTS
    detail: dict[str, Any] = {}
    found: list[Figure] = []
    with folder() as place:
        bases = {name: Base(name, make(name, place / name)) for name in BASES}
        graded = list(ask_all(bases, parts))
        for part in parts:
            of_part = [g for g in graded if g.gold["part"] == part]
            found += figures(of_part, part, detail, aims=part == "report")
            found += confidence_figures(told_of_answers(bases, of_part), f"{part}.confidence")
            found += confidence_figures(first_suggestions(bases, part), f"{part}.confidence_of_suggestions")
            for name in BASES:
                found += figures([g for g in of_part if g.base == name], f"{part}.{name}", detail, aims=False)
        found += off_topic(bases, detail, parts)
    return Result("answers_tuning" if options.tuning else "answers", found, detail)


def ask_all(
    bases: Mapping[str, Base], parts: Iterable[str], asked: Callable[[str], list[Gold]] = questions
) -> Iterator[Graded]:
    """Ask every base its own questions of these parts."""
    for name, base in bases.items():
        for gold in asked(name):
            if gold["part"] in parts:
                yield grade(base, gold, base.ask(gold["question"]))


def off_topic(bases: Mapping[str, Base], detail: dict[str, Any], parts: Sequence[str]) -> Iterator[Figure]:
    """Ask each base what nobody here wrote as off topic, and what is right only in the other four."""
    foreign: list[float] = []
    others: list[float] = []
    texts = out_of_scope()
    for name, base in bases.items():
        refused = [float(base.ask(text)["outcome"] == "abstains") for text in texts]
        asked = [g["question"] for other in bases if other != name for g in questions(other)
                 if g["part"] in parts and g["kind"] not in OFF_TOPIC]  # fmt: skip
        elsewhere = [float(base.ask(text)["outcome"] == "abstains") for text in asked]
        for kind, values, everything in (("clinc150_refused", refused, foreign), ("others_refused", elsewhere, others)):
            everything += values
            yield Figure(f"{name}.{kind}", sum(values) / len(values) if values else None, f"of {len(values)}")
    for kind, values in (("clinc150_refused", foreign), ("others_refused", others)):
        if values:
            detail[kind] = mean_interval(values).as_json()
        yield Figure(kind, sum(values) / len(values) if values else None, f"of {len(values)}", at_least=0.9)


def main() -> None:
    """Print what is wrong in the half for tuning, with what was shown."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("part", choices=["tune"])
    parser.add_argument("--keep", type=Path, help="a folder for the workspaces, built once and asked again")
    parser.add_argument("--rebuild", action="store_true", help="build the kept workspaces anew")
    parser.add_argument("--base", default="", help="only these bases, with commas between")
    parser.add_argument("--development", action="store_true", help="ask the questions for development instead")
    parser.add_argument("--off-topic", action="store_true", help="ask what is off topic, too")
    options = parser.parse_args()
    with folder() as temporary:
        place = options.keep or temporary
        if options.rebuild:
            for name in BASES:
                shutil.rmtree(place / name, ignore_errors=True)
                shutil.rmtree(place / f"{name}-articles", ignore_errors=True)
        place.mkdir(parents=True, exist_ok=True)
        names = [n for n in BASES if n in (options.base.split(",") if options.base else BASES)]
        bases = {name: Base(name, make(name, place / name)) for name in names}
        part, asked = ("development", development) if options.development else ("tune", questions)
        graded = list(ask_all(bases, (part,), asked))
        for one in graded:
            _print_wrong(one, bases[one.base])
        detail: dict[str, Any] = {}
        found = [f for n in names for f in figures([g for g in graded if g.base == n], n, detail, aims=False)]
        found += figures(graded, part, detail, aims=True)
        found += confidence_figures(told_of_answers(bases, graded), f"{part}.confidence")
        found += off_topic(bases, detail, ("tune",)) if options.off_topic else []
        for figure in found:
            if figure.value is not None:
                print(f"{figure.name:50} {figure.value:.3f} {figure.unit}")


def _print_wrong(one: Graded, base: Base) -> None:
    values = one.values
    if values["outcome_right"] and values["first_shown_right"] in (None, 1.0) and not values["wrong_platform_first"]:
        return
    print(f"{one.base} {one.gold['id']} [{one.gold['kind']}] {one.gold['question']}")
    print(f"   gold {one.gold['outcome']} {[(s['document'], s['heading']) for s in one.gold['sections']]}")
    print(
        f"   got  {one.answer['outcome']} {one.answer['attributes']} {(one.answer['question'] or {}).get('text', '')}"
    )
    for shown in list(shown_in_order(one.answer))[:FIRST_SHOWN]:
        places = {(e["document"], base.heading_at(e["document"], e["start"])) for e in shown["evidence"]}
        print(f"        {shown['text'][:70]!r} {sorted(places)[:2]} {shown['attributes']}")
    print(f"        documents {[d['document'] for d in one.answer['documents'][:3]]}")


if __name__ == "__main__":
    main()
