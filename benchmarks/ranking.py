"""The ranker and the two probabilities: features of every candidate as arrays, so that a variant takes seconds.

``python -m benchmarks ranking`` builds the five bases, scores the development questions, fits ranker and probabilities
with each base left out in turn, and says what each feature is worth: the paired difference without it, with its
standard error. ``python -m benchmarks.ranking fit --keep FOLDER`` does the same on workspaces and arrays that are kept;
``--only`` and ``--without NAME,NAME`` try other features, ``--write`` fits on everything and writes what ships,
``src/autokb/retrieval/ranker.json``; ``ask`` in place of ``fit`` asks the product itself.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.answering.present import FIRST_SHOWN, MOST_OF_DOCUMENT
from autokb.answering.probability import COMPARED, MOST_LEAD
from autokb.core.attributes import Match
from autokb.core.nouns import Passage
from autokb.core.settings import CAUTION
from autokb.heuristics.urgency import find_urgent
from autokb.retrieval.candidates import SectionRoles
from autokb.retrieval.everyday_subjects import is_of_company
from autokb.retrieval.features import FEATURES
from autokb.retrieval.index import QuestionIndex
from autokb.retrieval.logistic import fit_logistic
from autokb.retrieval.ranker import REMEDY, Ranker
from autokb.stores.word_index import WordIndex
from autokb.text.markdown import section_at, sections
from benchmarks import thunderbird
from benchmarks.answers import BASES, DATA, Base, Gold, Place, development, make, out_of_scope, questions
from benchmarks.figures import Figure, Result
from benchmarks.ranker_fit import PULL, RankingCase, fit_ranker
from benchmarks.retrieval import split
from benchmarks.retriever_study import read_rps
from benchmarks.running import autokb, folder, write_jsonl

FURTHER = DATA / "questions" / "ranking"  # development questions of this harness, by fresh writers from documents alone
TRAFFIC = DATA / "questions" / "traffic"  # questions like those that reach a support desk, by other fresh writers
# What share of the questions of a desk is of a kind. Complaints lead in the forum's and the shops' questions of the
# shared data; the shares are ours, and each kind is reported by itself.
MIX = {
    "complaint": 0.28,
    "how_to": 0.15,
    "fact": 0.12,
    "short": 0.12,
    "story": 0.13,
    "known": 0.08,
    "left_open": 0.07,
    "off_topic": 0.05,
}
GNOME, PHONE = "gnome", "phone"  # public manuals that no rule was made on, documents alone
PUBLIC = (GNOME, PHONE)
# A vendor's articles of symptoms, cause and resolution, asked by how their symptoms begin. The first by their hash are
# for the report alone, those behind them are fitted on.
ARTICLES, MORE_ARTICLES = "articles", "more_articles"
ARTICLE_COUNT = 60
ARTICLE_WORDS = 30  # of their symptoms that ask
REMEDIES = ("resolution", "workaround", "solution")  # how the headings of their remedies begin
RANK_OFFSET = 60  # of reciprocal rank fusion (Cormack et al., 2009)
LINKED = "thunderbird-linked"  # questions of the forum with the pages that helped, over the months before them
SQUAD, OFFICE = "squad", "office"  # open data, documents alone: they are asked, and nothing is fitted on them
ASKED_ALONE = (OFFICE, SQUAD, ARTICLES)  # nothing is fitted on them
OF_PAGES = (LINKED, OFFICE, SQUAD)  # whose gold is a page, so that each of its sections is right
OFFICE_ARTICLES = 400  # with a text of symptoms that asks for them, the first by their hash
RANKER = Path(__file__).resolve().parents[1] / "src" / "autokb" / "retrieval" / "ranker.json"
RED_FLAGS = DATA / "questions" / "red_flags.jsonl"
RED_FLAG_BASES = ("headphones", "medical")
OF_ANOTHER = 15  # questions of another base that are asked of each
ONLY_DOCUMENTS = "only_documents"  # the kind of a question whose right sections no solution of a node begins in
DEEP = 20  # candidates of a question whose best must have the right one for any reader of them to find it
ANSWERED = 0.8  # share of the questions of a service that its documents are taken to answer; here it is two thirds
# Weights that written questions cannot tell: whether the words of a node whose view a person approved count more than
# any other thing, and that a section which states a problem hands its whole lead to the remedy.
FIXED = {"same_words": 100.0, "remedy": 1.0}
HEAD_PULL = 0.1  # penalty on half the squared weights of a probability
# Words of the documents count only where the encoder gives no tokens: beside these they gain nothing (decision 43).
WITH_TOKENS = tuple(name for name in FEATURES if name != "words")
WITHOUT_TOKENS = tuple(name for name in FEATURES if name != "late_interaction")
# What a head may read of a question: the first row's features by these names, and what is read of the question.
OF_FIRST = ("section", "late_interaction")
OF_QUESTION = ("nearness", "unknown", "foreign_company", "foreign_subject")
HEAD = ("lead", *OF_FIRST, *OF_QUESTION)
FIRST_RIGHT = ("lead", "section", "late_interaction")
ANSWERABLE = ("section", "late_interaction", "nearness", "unknown", "foreign_company", "foreign_subject")
THRESHOLDS = (0.4, 0.5, 0.6, 0.7)  # of being answerable, below which a question is refused
BANDS = np.linspace(0.0, 1.0, 11)  # of the expected calibration error


@dataclass(frozen=True)
class Case:
    """One question over all candidates of its base: their features, which are right, and which may be shown."""

    id: str
    base: str
    kind: str
    answerable: bool
    features: NDArray[np.float64]
    right: NDArray[np.bool_]
    fits: NDArray[np.bool_]
    columns: NDArray[np.int64]
    read: NDArray[np.float64]  # in the order of OF_QUESTION
    roles: SectionRoles
    plain: tuple[int, ...]  # rows that plain hybrid search has first

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of every candidate."""
        ranker, features = Ranker(dict(zip(FEATURES, weights, strict=True))), self.features.copy()
        features[:, REMEDY] = 0.0
        ranker.lift_remedies(features, self.roles)
        return ranker.score(features)

    def shown(self, weights: NDArray[np.float64], k: int) -> list[int]:
        """Return the k rows that are shown first, at most ``MOST_OF_DOCUMENT`` of a document among the first."""
        scores = np.where(self.fits, self.scores(weights), -np.inf)
        order = np.lexsort((np.arange(len(scores)), -np.round(scores, 9)))[: k + DEEP]
        first: list[int] = []
        waiting: list[int] = []
        for row in order[np.isfinite(scores[order])].tolist():
            of_document = sum(self.columns[n] == self.columns[row] for n in first)
            has_place = of_document < MOST_OF_DOCUMENT or row in self.roles.remedies
            (first if len(first) < FIRST_SHOWN and has_place else waiting).append(row)
        return [*first, *sorted(waiting, key=lambda row: (-scores[row], row))][:k]

    def head(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the heads read, in the order of ``HEAD``."""
        shown = self.shown(weights, 1 + COMPARED)
        if not shown:
            return np.concatenate([np.zeros(len(HEAD) - len(OF_QUESTION)), self.read])
        names, scores = list(FEATURES), self.scores(weights)[shown]
        lead = min(float(scores[0] - max(scores[1:], default=-np.inf)), MOST_LEAD)
        first = self.features[shown[0]]
        return np.concatenate([[lead], [first[names.index(n)] for n in OF_FIRST], self.read])


# -- the questions ------------------------------------------------------------------------------------------------


def asked(base: str) -> list[Gold]:
    """Return the development questions of a base: the tuning half, the older ones, and those written for this."""
    traffic = [{**gold, "kind": f"traffic.{gold['kind']}"} for gold in _written(TRAFFIC / f"{base}.jsonl")]
    if base in PUBLIC:
        return traffic
    tuning = (g for g in questions(base) if g["part"] == "tune")
    return [*tuning, *development(base), *_written(FURTHER / f"{base}.jsonl"), *traffic]


def _written(path: Path) -> list[Gold]:
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    return [{**json.loads(line), "part": "further"} for line in lines if line.strip()]


def right_places(base: Base, gold: Gold) -> list[Place]:
    """Return where the answer is: the section that has the quoted words, else the section of that heading."""
    found = []
    for section in gold["sections"]:
        text, quote = base.text(section["document"]), section.get("quote")
        if quote and (at := text.find(quote)) >= 0:
            known = sections(text)
            own = known[section_at(known, at)]
            found.append((section["document"], own.start, own.own_end))
        else:
            found.append((section["document"], *base.section(section["document"], section["heading"])))
    return found


def is_answerable(gold: Gold) -> bool:
    """Return whether the documents answer a question, or one asked back leads there."""
    return bool(gold["sections"]) and gold["outcome"] != "abstains"


def cases_of(base: Base) -> Iterator[Case]:
    """Score the questions of a base over all its candidates."""
    index = base.index
    for gold in asked(base.name):
        places = right_places(base, gold)
        excluded = {w["attribute"]: set(w["values"]) for w in gold["wrong"] if "attribute" in w}
        right = [
            _stands_in(one.solution.evidence, places) and not _is_for_others(one.solution.attributes, excluded)
            for one in index.candidates.rows
        ]
        yield _case(gold["id"], base.name, gold["kind"], index, gold["question"], np.array(right), is_answerable(gold))


def linked_cases(base: Base) -> Iterator[Case]:
    """Score later questions of the forum; every section of a page that helped is right."""
    later, _ = split(thunderbird.issues(), tuning=True)
    index, links = base.index, thunderbird.strict_qrels()
    stems = {Path(document).stem: column for column, document in enumerate(index.chunks.documents)}
    for issue in later:
        helped = [stems[d] for d in links.get(issue["issue_id"], {}) if d in stems]
        if helped:
            right = np.isin(index.candidates.columns, helped)
            text = f"{issue['title']}\n{issue['text']}"
            yield _case(issue["issue_id"], LINKED, "linked", index, text, right, answerable=True)


def open_data_cases(place: Path) -> Iterator[Case]:
    """Score the questions of the Office articles and of the SQuAD sample; every section of their page is right."""
    for name, (documents, fields, asked) in {SQUAD: squad(place), OFFICE: office(place)}.items():
        target = place / name
        if not (target / "knowledge.db").exists():
            domain = place / f"{name}.yaml"
            domain.write_text(f"name: {name}\n", encoding="utf-8")
            autokb("init", target, "--domain", domain)
            autokb("add", target, documents, *fields)
            autokb("build", target)
        index = Base(name, target).index
        place_of = {document: column for column, document in enumerate(index.chunks.documents)}
        for ident, text, pages in asked:
            if found := [place_of[page] for page in pages if page in place_of]:
                right = np.isin(index.candidates.columns, found)
                yield _case(ident, name, name, index, text, right, answerable=True)


QuestionMatch = list[tuple[str, str, list[str]]]  # id, text, documents


def squad(place: Path) -> tuple[Path, tuple[str, ...], QuestionMatch]:
    """Return paragraphs of encyclopaedia articles, and the questions that people wrote on them."""
    documents = write_jsonl(place / "squad.jsonl", read_rps("squad_sample/docs.jsonl"))
    asked = [(r["query_id"], r["question"], r["relevant"]) for r in read_rps("squad_sample/questions.jsonl")]
    return documents, ("--id-field", "doc_id"), asked


def office(place: Path) -> tuple[Path, tuple[str, ...], QuestionMatch]:
    """Return support articles without the sections of their symptoms, and those as questions."""
    queries = read_rps("office_support_kb/symptom_queries.jsonl")
    hidden = {d: set(r["symptom_section_indexes"]) for r in queries for d in r["relevant"]}
    by_hash = sorted(hidden, key=lambda d: hashlib.sha256(d.encode()).hexdigest())
    kept = set(by_hash[:OFFICE_ARTICLES])
    articles = [
        {
            "id": a["article_id"],
            "title": a["title"],
            "sections": [s for n, s in enumerate(a["sections"]) if n not in hidden[a["article_id"]]],
        }
        for a in read_rps("office_support_kb/articles.jsonl.gz")
        if a["article_id"] in kept
    ]
    fields = ("--id-field", "id", "--title-field", "title", "--text-field", "sections")
    asked = [(r["query_id"], r["query"], r["relevant"]) for r in queries if kept.intersection(r["relevant"])]
    return write_jsonl(place / "office.jsonl", articles), fields, asked


def public_manual(place: Path, name: str) -> Base:
    """Return a public manual that no rule was made on, built from the documents alone."""
    target, data = place / name, thunderbird.data_folder().parent
    if not (target / "knowledge.db").exists():
        if name == PHONE:
            page = place / "Galaxy_A51.html"
            page.write_bytes(gzip.decompress((data / "samsung_galaxy_manuals" / "Galaxy_A51.html.gz").read_bytes()))
            _build_documents(target, page)
        else:
            lines = (data / "gnome_help" / "topics.jsonl").read_text(encoding="utf-8").split("\n")
            topics = [_topic(json.loads(line)) for line in lines if line]
            _build_documents(target, write_jsonl(place / "gnome.jsonl", topics), *RECORD)
    return Base(name, target)


RECORD = ("--id-field", "id", "--title-field", "title", "--text-field", "sections")


def _build_documents(target: Path, *added: str | Path) -> None:
    domain = target.parent / f"{target.name}.yaml"
    domain.write_text(f"name: {target.name}\n", encoding="utf-8")
    autokb("init", target, "--domain", domain)
    autokb("add", target, *added, "--as", "documents")
    autokb("build", target)


def _topic(topic: Mapping[str, Any]) -> dict[str, Any]:
    """Return a topic of the desktop's help as a record with sections, its steps numbered."""

    def text(block: Mapping[str, Any]) -> str:
        if not block.get("items"):
            return str(block.get("text", ""))
        marks = (f"{n}." if block["type"] == "steps" else "-" for n in itertools.count(1))
        return "\n".join(f"{mark} {item}" for mark, item in zip(marks, block["items"], strict=False))

    sections = [
        {"level": 2, "heading": s["heading"], "text": "\n\n".join(map(text, s["blocks"]))} for s in topic["sections"]
    ]
    return {"id": topic["topic_id"], "title": topic["title"], "sections": sections}


def article_cases(place: Path, name: str) -> Iterator[Case]:
    """Score how the symptoms of a vendor's articles begin; what stands under the headings of remedies is right."""
    queries = {r["relevant"][0]: r for r in read_rps("office_support_kb/symptom_queries.jsonl")}
    known = {a["article_id"]: a for a in read_rps("office_support_kb/articles.jsonl.gz")}
    by_hash = sorted(queries, key=lambda d: hashlib.sha256(d.encode()).hexdigest())
    first = 0 if name == ARTICLES else ARTICLE_COUNT
    wanted = [d for d in by_hash if _has_pattern(known[d])][first : first + ARTICLE_COUNT]
    records = [{"id": d, "title": known[d]["title"], "sections": known[d]["sections"]} for d in wanted]
    target = place / name
    if not (target / "knowledge.db").exists():
        _build_documents(target, write_jsonl(place / f"{name}.jsonl", records), *RECORD)
    index = Base(name, target).index
    for document in wanted:
        right = np.array([_is_remedy(one.passage, document) for one in index.candidates.rows])
        text = " ".join(queries[document]["query"].split()[:ARTICLE_WORDS])
        yield _case(document, name, name, index, text, right, answerable=True)


def _has_pattern(article: Mapping[str, Any]) -> bool:
    headings = [s["heading"].casefold() for s in article["sections"]]
    return all(any(h.startswith(role) for h in headings) for role in (("symptom",), ("cause",), REMEDIES))


def _is_remedy(passage: Passage | None, document: str) -> bool:
    if passage is None or passage.solution.evidence[0].document != document:
        return False
    return any(heading.casefold().startswith(REMEDIES) for heading in passage.headings[1:])


def plain_hybrid(index: QuestionIndex, text: str, words: WordIndex, k: int = DEEP) -> tuple[int, ...]:
    """Return the rows that a plain hybrid search has first: cosine and BM25 over the sections, ranks fused."""
    vector = index.embed_questions([text])[0]
    rankings = (index.candidates.vectors @ vector, words.scores(text))
    fused = sum(1 / (RANK_OFFSET + 1 + np.argsort(np.argsort(-r, kind="stable"), kind="stable")) for r in rankings)
    return tuple(np.argsort(-np.asarray(fused), kind="stable")[:k].tolist())


@cache
def _words_of(generation: str, texts: tuple[str, ...], language: str) -> WordIndex:
    return WordIndex.build(texts, language)


def off_topic_cases(base: Base) -> Iterator[Case]:
    """Score questions of clinc150 that are about nothing in its domains: they fit no head, and are only refused."""
    for text in out_of_scope():
        nothing = np.zeros(len(base.index.candidates.rows), dtype=np.bool_)
        yield _case(text[:40], base.name, "clinc150", base.index, text, nothing, answerable=False)


def others_cases(base: Base) -> Iterator[Case]:
    """Score questions that only other bases answer, some of each, the first by their hash."""
    nothing = np.zeros(len(base.index.candidates.rows), dtype=np.bool_)
    for other in BASES:
        told = [gold for gold in asked(other) if is_answerable(gold)] if other != base.name else []
        told.sort(key=lambda gold: hashlib.sha256((base.name + gold["id"]).encode()).hexdigest())
        for gold in told[:OF_ANOTHER]:
            yield _case(gold["id"], base.name, "others", base.index, gold["question"], nothing, answerable=False)


def _case(name: str, base: str, kind: str, index: Any, text: str, right: NDArray[np.bool_], answerable: bool) -> Case:
    scored = index.score(text)
    asked = scored.evidence.asked
    fits = np.array(
        [asked.match(row.solution.id) is not Match.CONFLICT for row in index.candidates.rows], dtype=np.bool_
    )
    views = [asked.match(index.candidates.audiences[n]) for n in index.candidates.view_audiences]
    fits &= [not row.is_withheld for row in index.candidates.rows]
    np.logical_or.at(fits, index.candidates.view_rows, [one is not Match.CONFLICT for one in views])
    foreign = index.foreign_subject(scored.read)
    read = [
        index.nearness(scored),
        index.chunks.words.unknown_share(scored.read),
        float(foreign is not None and is_of_company(foreign, index.spec.language)),
        float(foreign is not None and not is_of_company(foreign, index.spec.language)),
    ]
    words = _words_of(index.generation, tuple(one.searched_text for one in index.candidates.rows), index.spec.language)
    plain = plain_hybrid(index, text, words) if answerable else ()
    columns, roles = index.candidates.columns, index.candidates.roles
    return Case(name, base, kind, answerable, scored.features, right, fits, columns, np.array(read), roles, plain)


def _stands_in(evidence: Sequence[Any], places: Sequence[Place]) -> bool:
    inside = [any(e.document == d and start <= e.start < end for d, start, end in places) for e in evidence]
    return bool(inside) and (inside[0] or 2 * sum(inside) > len(inside))


def _is_for_others(attributes: Mapping[str, Any], excluded: Mapping[str, set[str]]) -> bool:
    return any(values and set(values) <= excluded.get(name, set()) for name, values in attributes.items())


def collectors(place: Path) -> dict[str, Callable[[], Iterable[Case]]]:
    """Return what scores the questions of each base, building what the folder does not have."""

    def written(name: str) -> Iterator[Case]:
        base = Base(name, make(name, place / name))
        yield from cases_of(base)
        yield from off_topic_cases(base)
        yield from others_cases(base)

    def linked() -> Iterator[Case]:
        target = place / LINKED
        if not (target / "knowledge.db").exists():
            thunderbird.stage(target, split(thunderbird.issues(), tuning=True)[1])
            thunderbird.build(target)
        yield from linked_cases(Base(LINKED, target))

    return {
        **{name: partial(written, name) for name in BASES},
        **{name: partial(lambda name: cases_of(public_manual(place, name)), name) for name in PUBLIC},
        **{name: partial(article_cases, place, name) for name in (ARTICLES, MORE_ARTICLES)},
        LINKED: linked,
        "open_data": lambda: open_data_cases(place),
    }


# -- variants -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranked:
    """What a ranker makes of the answerable questions: 1 where the right one is first, among three, among twenty."""

    first: NDArray[np.float64]
    three: NDArray[np.float64]
    deep: NDArray[np.float64]


def columns_of(names: Iterable[str]) -> NDArray[np.bool_]:
    """Return which of ``FEATURES`` are used."""
    wanted = set(names)
    return np.array([name in wanted for name in FEATURES])


def fit(cases: Sequence[Case], used: NDArray[np.bool_], pull: float = PULL) -> NDArray[np.float64]:
    """Fit the weights of some features on questions; what may not be shown does not compete."""
    weights = np.where(used, [FIXED.get(name, 0.0) for name in FEATURES], 0.0)
    free = used & np.array([name not in FIXED for name in FEATURES])
    weights[free] = fit_ranker([RankingCase(c.features[c.fits][:, free], c.right[c.fits]) for c in cases], pull=pull)
    return weights


def left_out(cases: Sequence[Case], used: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
    """Return for each base the weights that the others give; the linked questions go with Thunderbird.

    Open data is ranked by the weights of all, for none are fitted on it.
    """
    fitted = [c for c in cases if c.base not in ASKED_ALONE]
    groups = {c.base: c.base.partition("-")[0] for c in fitted}
    found = dict.fromkeys(ASKED_ALONE, fit(fitted, used))
    for group in dict.fromkeys(groups.values()):
        weights = fit([c for c in fitted if groups[c.base] != group], used)
        found |= {base: weights for base, of in groups.items() if of == group}
    return found


def rank(cases: Sequence[Case], weights: Mapping[str, NDArray[np.float64]]) -> Ranked:
    """Rank each question by the weights of its base."""
    hits = [c.right[c.shown(weights[c.base], DEEP)] for c in cases]
    return Ranked(*(np.array([h[:k].any() for h in hits], dtype=np.float64) for k in (1, FIRST_SHOWN, DEEP)))


def difference(after: NDArray[np.float64], before: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean paired difference and its standard error."""
    gain = after - before
    return float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain)))


# -- probabilities ------------------------------------------------------------------------------------------------


def fit_head(
    rows: NDArray[np.float64], labels: NDArray[np.bool_], names: Sequence[str], share: float | None = None
) -> dict[str, float]:
    """Fit a probability that reads some of ``HEAD``; ``share`` is that of the yes, if it is not that of the labels."""
    used = [HEAD.index(name) for name in names]
    pull = [HEAD_PULL] * len(used)
    yes = float(labels.mean())
    counts = np.ones(len(labels)) if share is None else np.where(labels, share / yes, (1 - share) / (1 - yes))
    *weights, intercept = fit_logistic(rows[:, used], labels, expected=[0.0] * len(used), pull=pull, counts=counts)
    return {"intercept": float(intercept), **{n: float(w) for n, w in zip(names, weights, strict=True)}}


def probabilities(head: Mapping[str, float], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what a head says of some questions."""
    odds = head["intercept"] + sum(head[name] * rows[:, n] for n, name in enumerate(HEAD) if name in head)
    said: NDArray[np.float64] = 0.5 + 0.5 * np.tanh(odds / 2)
    return said


def calibration_error(said: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over tenths (Naeini et al., 2015)."""
    band = np.clip(np.digitize(said, BANDS) - 1, 0, len(BANDS) - 2)
    return float(sum(abs(said[band == b].mean() - right[band == b].mean()) * (band == b).mean() for b in set(band)))


def area_under_curve(said: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Return how often a right one has the higher probability than a wrong one; ties count half."""
    yes, no = said[right][:, None], said[~right][None, :]
    return float(((yes > no) + 0.5 * (yes == no)).mean())


# -- the study ----------------------------------------------------------------------------------------------------


def study(cases: Sequence[Case], names: Sequence[str], detail: dict[str, Any]) -> Iterator[Figure]:
    """Fit with each base left out, and say what each kind of question and each feature come to."""
    used, by_text = columns_of(names), [c for c in cases if c.base not in (*OF_PAGES, ARTICLES)]
    told = [c for c in cases if c.answerable]
    written = [c for c in told if c.base not in (*OF_PAGES, ARTICLES, MORE_ARTICLES)]
    weights = left_out(told, used)
    whole = rank(written, weights)
    yield Figure("first", float(whole.first.mean()), f"of {len(written)}, each base left out")
    yield Figure("three", float(whole.three.mean()), f"of {len(written)}")
    yield Figure("among_20", float(whole.deep.mean()), f"of {len(written)}")
    for kind in sorted({c.kind for c in written}):
        rows = np.array([c.kind == kind for c in written])
        yield Figure(f"{kind}.first", float(whole.first[rows].mean()), f"of {rows.sum()}")
        yield Figure(f"{kind}.three", float(whole.three[rows].mean()), f"of {rows.sum()}")
    for base in (*BASES, *PUBLIC):
        rows = np.array([c.base == base for c in written])
        yield Figure(f"{base}.first", float(whole.first[rows].mean()), f"of {rows.sum()}")
        yield Figure(f"{base}.three", float(whole.three[rows].mean()), f"of {rows.sum()}")
    yield from beside_plain_search(written, whole)
    of_articles = [c for c in told if c.base == ARTICLES]
    if of_articles:
        remedies = rank(of_articles, weights)
        yield Figure("articles.remedy_first", float(remedies.first.sum()), f"of {len(of_articles)}")
        yield Figure("articles.remedy_among_3", float(remedies.three.sum()), f"of {len(of_articles)}")
    by_page = [c for c in told if c.base in OF_PAGES]
    of_pages = rank(by_page, weights)
    for base in OF_PAGES:
        rows = np.array([c.base == base for c in by_page])
        yield Figure(f"{base}.page_first", float(of_pages.first[rows].mean()), f"of {rows.sum()}")
        yield Figure(f"{base}.page_among_3", float(of_pages.three[rows].mean()), f"of {rows.sum()}")
    yield from _study_heads(by_text, weights, detail)
    for name in names:
        others = left_out(told, columns_of(n for n in names if n != name))
        for kind, asked_of, with_it in (("", written, whole), ("page_", by_page, of_pages)):
            without = rank(asked_of, others)
            for place in ("first", "three"):
                gain, error = difference(getattr(with_it, place), getattr(without, place))
                yield Figure(f"gain_of.{name}.{kind}{place}", gain, f"standard error {error:.4f}")


def beside_plain_search(cases: Sequence[Case], ranked: Ranked) -> Iterator[Figure]:
    """Say what the mix of traffic comes to, and how often the right section is first here and not by plain search."""
    kinds = np.array([c.kind.removeprefix("traffic.") if c.kind.startswith("traffic.") else "" for c in cases])
    plain = np.array([[c.right[list(c.plain[:k])].any() for k in (1, FIRST_SHOWN)] for c in cases], dtype=np.float64)
    shares = {kind: share for kind, share in MIX.items() if (kinds == kind).any()}
    for column, place in enumerate(("first", "three")):
        ours, theirs = getattr(ranked, place), plain[:, column]
        for label, found in (("mix", ours), ("plain_hybrid.mix", theirs)):
            mean = sum(share * found[kinds == kind].mean() for kind, share in shares.items()) / sum(shares.values())
            yield Figure(f"{label}.{place}", float(mean), "kinds weighted by their share of traffic")
        groups = {
            **{kind: kinds == kind for kind in shares},
            "traffic": kinds != "",
            "all": np.ones(len(cases), dtype=bool),
        }
        bases = np.array([c.base for c in cases])
        groups |= {base: (bases == base) & (kinds != "") for base in dict.fromkeys(bases.tolist())}
        for name, rows in groups.items():
            if not rows.any():
                continue
            wins, losses = int((ours > theirs)[rows].sum()), int((ours < theirs)[rows].sum())
            ties = int(rows.sum()) - wins - losses
            unit = f"{wins} / {ties} / {losses} win / tie / loss; plain {theirs[rows].mean():.3f}"
            yield Figure(f"beside_plain_hybrid.{name}.{place}", float((ours - theirs)[rows].mean()), unit)


def _study_heads(
    cases: Sequence[Case], weights: Mapping[str, NDArray[np.float64]], detail: dict[str, Any]
) -> Iterator[Figure]:
    """Fit both probabilities with each base left out; clinc150's questions are only asked."""
    rows = np.array([c.head(weights[c.base]) for c in cases])
    right = np.array([bool((s := c.shown(weights[c.base], 1)) and c.right[s[0]]) for c in cases])
    answerable = np.array([c.answerable for c in cases])
    bases, kinds = np.array([c.base for c in cases]), np.array([c.kind for c in cases])
    written = kinds != "clinc150"
    heads = (("answerable", answerable, ANSWERABLE, ANSWERED), ("first_right", right, FIRST_RIGHT, None))
    asked_of = written
    for head, labels, names, share in heads:
        said = np.zeros(len(cases))
        for base in dict.fromkeys(bases.tolist()):
            kept = asked_of & (bases != base)
            said[bases == base] = probabilities(fit_head(rows[kept], labels[kept], names, share), rows[bases == base])
        yield Figure(f"{head}.auc", area_under_curve(said[asked_of], labels[asked_of]), f"of {asked_of.sum()}")
        yield Figure(f"{head}.calibration_error", calibration_error(said[asked_of], labels[asked_of]))
        brier = float(np.mean((said[asked_of] - labels[asked_of]) ** 2))
        yield Figure(f"{head}.brier", brier, f"{float(labels[asked_of].var()):.3f} for the share alone")
        detail[head] = list(_bands(said[asked_of], labels[asked_of]))
        if head == "answerable":
            for threshold in THRESHOLDS:
                refused, start = said < threshold, f"refused_below_{threshold}"
                yield Figure(f"{start}.answerable", float(refused[written & answerable].mean()))
                for kind in sorted({*kinds[~answerable], "everyday_noun", "typo"}):
                    of_kind = kinds == kind
                    yield Figure(f"{start}.{kind}", float(refused[of_kind].mean()), f"of {of_kind.sum()}")
            asked_of = written & (kinds != "others") & (said >= CAUTION)  # what is answered, rightly or not


def _bands(said: NDArray[np.float64], right: NDArray[np.bool_]) -> Iterator[tuple[float, float, int]]:
    """Give for each tenth what was said, what was so, and of how many."""
    band = np.clip(np.digitize(said, BANDS) - 1, 0, len(BANDS) - 2)
    for one in sorted(set(band.tolist())):
        of_band = band == one
        yield float(said[of_band].mean()), float(right[of_band].mean()), int(of_band.sum())


def write_ranker(cases: Sequence[Case], names: Sequence[str], figures: Iterable[Figure]) -> None:
    """Fit on everything and write what ships, with the hash of the questions and the figures of a base left out."""
    told = [c for c in cases if c.answerable and c.base not in ASKED_ALONE]
    weights = fit(told, columns_of(names))
    blind = fit(told, columns_of(WITHOUT_TOKENS))
    written = [c for c in cases if c.base not in (*OF_PAGES, ARTICLES) and c.kind != "clinc150"]
    rows = np.array([c.head(weights) for c in written])
    answerable = np.array([c.answerable for c in written])
    right = np.array([bool((s := c.shown(weights, 1)) and c.right[s[0]]) for c in written])
    answers = fit_head(rows, answerable, ANSWERABLE, ANSWERED)
    shown = np.array([c.kind != "others" for c in written]) & (probabilities(answers, rows) >= CAUTION)
    read = [c.id for c in cases if c.base not in ASKED_ALONE]
    digest = hashlib.sha256("\n".join(sorted(read)).encode()).hexdigest()
    record = {
        "encoder": _encoder(),
        "weights_without_tokens": _rounded(dict(zip(FEATURES, blind, strict=True))),
        "weights": _rounded({n: w for n, w in zip(FEATURES, weights, strict=True) if n in names}),
        "first_right": _rounded(fit_head(rows[shown], right[shown], FIRST_RIGHT)),
        "answerable": _rounded(answers),
        "questions": {"count": len(read), "sha256": digest},
        "left_out": {f.name: round(f.value, 4) for f in figures if f.value is not None and "." not in f.name},
    }
    RANKER.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _encoder() -> str:
    from autokb.llm.embedders.packaged import PackagedEmbedder

    return PackagedEmbedder.name


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in values.items()}


def run(options: argparse.Namespace) -> Result:
    """Build the bases, score all questions, and say what the ranker and each feature of it are worth."""
    detail: dict[str, Any] = {}
    with folder() as place:
        cases = [case for collect in collectors(place).values() for case in collect()]
        found = list(study(cases, WITH_TOKENS, detail))
    return Result("ranking", found, detail)


def ask_product(place: Path) -> Iterator[Figure]:
    """Ask the product itself the development questions: what is shown, refused and asked back, by kind."""
    rows: dict[str, list[tuple[bool, ...]]] = {}
    for name in BASES:
        base = Base(name, make(name, place / name))
        views = [view.evidence for one in base.index.candidates.rows for view in one.views]

        def of_nodes(places: Sequence[Place], views: Sequence[Any] = views) -> bool:
            return any(_stands_in(evidence, places) for evidence in views)

        for gold in asked(name):
            answer = base.kb.ask(gold["question"])
            places = right_places(base, gold)
            shown = [s for match in answer.matches for s in match.solutions] + [p.solution for p in answer.passages]
            hits = [_stands_in(one.evidence, places) for one in shown]
            told = is_answerable(gold)
            row = (told, bool(hits[:1] and hits[0]), any(hits[:FIRST_SHOWN]), answer.outcome == "abstains")
            for kind in ("all", name, gold["kind"], *([ONLY_DOCUMENTS] if told and not of_nodes(places) else [])):
                rows.setdefault(kind, []).append(row)
        if name in RED_FLAG_BASES:
            yield from _red_flags(base)
    for kind, found in rows.items():
        told = [row for row in found if row[0]]
        open_ = [row for row in found if not row[0]]
        for place_, label in ((1, "first"), (2, "three"), (3, "refused")) if told else ():
            yield Figure(f"{kind}.{label}", sum(row[place_] for row in told) / len(told), f"of {len(told)}")
        if open_:
            yield Figure(f"{kind}.unanswerable_refused", sum(row[3] for row in open_) / len(open_), f"of {len(open_)}")


def _red_flags(base: Base) -> Iterator[Figure]:
    """Ask what calls for an urgent warning, and what only sounds like it; by a fresh writer from documents alone."""
    asked_of = [
        g for line in RED_FLAGS.read_text("utf-8").split("\n") if line and (g := json.loads(line))["base"] == base.name
    ]
    first, three, asks, refused, needless = [], [], [], [], []
    for gold in asked_of:
        answer = base.kb.ask(gold["question"])
        if not gold["urgent"]:
            needless.append(bool(find_urgent(gold["question"], base.spec)))
            continue
        places = [(w["document"], *base.section(w["document"], w["heading"])) for w in (gold, *gold["also"])]
        hits = [_stands_in(one.evidence, places) for one in answer.shown]
        first.append(any(hits[:1]))
        three.append(any(hits[:FIRST_SHOWN]))
        asks.append(answer.outcome == "asks")
        refused.append(answer.outcome == "abstains")
    for label, found in (("first", first), ("three", three), ("asked_back", asks), ("refused", refused)):
        yield Figure(f"{base.name}.red_flags.{label}", sum(found) / len(found), f"of {len(found)}")
    yield Figure(f"{base.name}.no_red_flag.warned", sum(needless) / len(needless), f"of {len(needless)}")


def kept_cases(place: Path, *, again: bool, skipped: Collection[str] = ()) -> list[Case]:
    """Return the cases of all bases but the ``skipped`` ones: those that a folder keeps as arrays, else scored now."""
    import pickle

    cases: list[Case] = []
    for name, collect in collectors(place).items():
        path = place / f"cases-{name}.pickle"  # made and read by this command alone
        if name in skipped:
            continue
        if again or not path.exists():
            path.write_bytes(pickle.dumps(list(collect())))
        cases += pickle.loads(path.read_bytes())
    return cases


def main() -> None:
    """Try other features, or write what ships."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["fit", "ask"])
    parser.add_argument("--keep", type=Path, required=True, help="a folder for workspaces and arrays")
    parser.add_argument("--again", action="store_true", help="score the questions anew")
    parser.add_argument("--rebuild", action="store_true", help="build the workspaces anew")
    parser.add_argument("--only", default="", help="these features alone, with commas between")
    parser.add_argument("--without", default="", help="all features but these")
    parser.add_argument("--skip", default="", help="bases that are not scored, with commas between")
    parser.add_argument("--short", action="store_true", help="leave out what each feature is worth")
    parser.add_argument("--write", action="store_true", help="fit on everything and write what ships")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    if options.rebuild:
        for name in (*BASES, *OF_PAGES, *PUBLIC, ARTICLES, MORE_ARTICLES):
            shutil.rmtree(options.keep / name, ignore_errors=True)
            shutil.rmtree(options.keep / f"{name}-articles", ignore_errors=True)
    if options.what == "ask":
        for figure in ask_product(options.keep):
            print(f"{figure.name:45} {figure.value:+.3f} {figure.unit}", flush=True)
        return
    skipped = options.skip.split(",")
    cases = kept_cases(options.keep, again=options.again or options.rebuild, skipped=skipped)
    names = [
        n for n in (options.only.split(",") if options.only else WITH_TOKENS) if n not in options.without.split(",")
    ]
    figures = []
    for figure in study(cases, names, {}):
        if options.short and figure.name.startswith("gain_of"):
            break
        figures.append(figure)
        value = "not measured" if figure.value is None else f"{figure.value:+.3f}"
        print(f"{figure.name:45} {value} {figure.unit}", flush=True)
    if options.write:
        write_ranker(cases, names, figures)


if __name__ == "__main__":
    main()
