"""Procedures that a manual has in several places: what they need beforehand, their parts, and what they refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Span
from autokb.heuristics.solutions.instructions import instructs, is_preparation, step_number
from autokb.heuristics.solutions.section_reader import NOWHERE, Material
from autokb.heuristics.solutions.words import ManualWords
from autokb.text.lexicons import pattern_of
from autokb.text.markdown import Section
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences
from autokb.text.words import content_words

_REFERENCES = ("references_back", "references_ahead")  # lists of words that refer to what stands before or behind
LONGEST_BROUGHT = 1_500  # characters of steps that are brought as one; of longer ones each stays a step
MOST_BROUGHT = 3_000  # characters of a section that is brought
LOOKED_THROUGH = 100  # sections, and materials, before and after a step in which what it refers to is looked for
NEAR_HEADING = 200  # characters between a heading and its steps that are brought with them


# -- what a procedure needs beforehand ----------------------------------------------------------------------------


def bring_preparations(
    text: str, found: Sequence[Section], materials: Sequence[Material], language: str = ENGLISH, *, whole: bool = False
) -> list[Material]:
    """Put what is to be done beforehand in front of the next procedure under the same heading, as its first step.

    By itself it is no solution; as a passage (``whole``) it answers what to prepare, and its title says for what. Where
    no procedure follows it stays what it is.
    """
    result = list(materials)
    for number, section in enumerate(found):
        if not section.headings or not is_preparation(section.headings[-1], language):
            continue
        later = [m for m in result if m.parent == section.parent and m.section > number]
        if not later:
            continue
        procedure = min(later, key=lambda m: m.kind != "ordered")  # the first of them
        if whole:
            title = f"{procedure.title}: {section.headings[-1]}"
            result = [replace(m, title=title, title_span=NOWHERE) if _is_in(m, section) else m for m in result]
        else:
            result = _moved_before(procedure.section, text, section, result)
    return result


def _is_in(material: Material, section: Section) -> bool:
    return section.start <= material.core[0] < section.end


def _moved_before(procedure: int, text: str, section: Section, materials: Sequence[Material]) -> list[Material]:
    """Return materials with a section of preparation in front of those of a procedure's section, and nowhere else."""
    span = (section.start, section.start + len(text[section.start : section.end].rstrip()))
    return [
        _with_preparation(m, span, section) if m.section == procedure else m
        for m in materials
        if m.section == procedure or not _is_in(m, section)
    ]


def _with_preparation(material: Material, span: Span, section: Section) -> Material:
    is_next = material.place[0] <= section.end
    return replace(
        material,
        steps=(span, *material.steps),
        lists=(-1, *material.lists),
        place=(section.start, material.place[1]) if is_next else material.place,
    )


# -- procedures that are cut into sections ------------------------------------------------------------------------


def join_steps_in_sections(
    title: str, found: Sequence[Section], materials: Sequence[Material], language: str = ENGLISH
) -> list[Material]:
    """Make one procedure of sections that are its steps (``Step 1: Save``, ``Step 2: Delete``), in their order."""
    result: list[Material] = []
    taken: set[int] = set()
    for material in materials:
        if material.section in taken:
            continue
        run = _steps_in_sections(found, material.section, language)
        if len(run) < 2 or run[0] != material.section:
            result.append(material)
            continue
        taken.update(run)
        result.append(_joined(title, found, [m for m in materials if m.section in run]))
    return result


def _steps_in_sections(found: Sequence[Section], first: int, language: str) -> list[int]:
    """Return the sections beside one that says it is step 1 that go on counting."""
    run: list[int] = []
    siblings = (n for n in range(first, len(found)) if found[n].parent == found[first].parent)
    for number in siblings:
        headings = found[number].headings
        if not headings or step_number(headings[-1], language) != len(run) + 1:
            break
        run.append(number)
    return run


def _joined(title: str, found: Sequence[Section], parts: Sequence[Material]) -> Material:
    steps: list[Span] = []
    lists: list[int] = []
    for n, part in enumerate(parts):
        if n == 0 or part.section != parts[n - 1].section:
            steps.append(part.title_span if part.title_span != NOWHERE else part.steps[0])
            lists.append(-1)
        for step, list_id in zip(part.steps, part.lists, strict=True):
            if step not in steps:
                steps.append(step)
                lists.append(list_id)
    headings = parts[0].headings[:-1]
    return replace(
        parts[0],
        kind="ordered",
        headings=headings or parts[0].headings,
        title=headings[-1] if headings else title,
        title_span=NOWHERE,
        steps=tuple(steps),
        lists=tuple(lists),
        place=(parts[0].place[0], parts[-1].place[1]),
        core=(parts[0].core[0], parts[-1].core[1]),
    )


# -- what steps refer to ------------------------------------------------------------------------------------------


def bring_what_is_referred_to(
    text: str, title: str, found: Sequence[Section], materials: Sequence[Material], language: str = ENGLISH
) -> list[Material]:
    """Put what a step refers to (``as described above``) behind it; what is not there is named in ``missing``."""
    places = _KnownPlaces(text, title, found, materials, language)
    return [_with_references(text, places, number, language) for number in range(len(materials))]


def _with_references(text: str, places: _KnownPlaces, number: int, language: str) -> Material:
    """Return the material of a number with what its steps refer to behind them."""
    material = places.materials[number]
    steps: list[Span] = []
    lists: list[int] = []
    missing: list[tuple[Span, str]] = []
    for n, (step, list_id) in enumerate(zip(material.steps, material.lists, strict=True)):
        steps.append(step)
        lists.append(list_id)
        for reference in _references_of(text, step, language):
            others = material.steps[:n] if reference.is_back else material.steps[n + 1 :]
            is_beside = bool(others) or (not reference.is_back and "\n" in text[slice(*step)].strip())
            brought = places.find(number, reference, is_beside=is_beside)
            if brought is None and not is_beside:
                missing.append((step, reference.words))
            new = [s for s in brought or () if not _is_within(s, (*steps, *material.steps))]
            steps += new
            lists += [-1] * len(new)
    return replace(material, steps=tuple(steps), lists=tuple(lists), missing=tuple(missing))


def _is_within(span: Span, others: Iterable[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


@dataclass(frozen=True, slots=True)
class _Reference:
    """Words of a step that refer to another place, what they are about, and whether the place is before the step.

    What ``is_described`` there has a section of its own ("restart as described above"); anything may be "listed below".
    """

    words: str
    about: str
    is_back: bool
    is_described: bool


def refers_elsewhere(text: str, language: str = ENGLISH) -> bool:
    """Return whether a text speaks of what stands before or behind it: ``as described above``."""
    return any(pattern_of(ManualWords, name, language).search(text) for name in _REFERENCES)


def _references_of(text: str, step: Span, language: str) -> Iterator[_Reference]:
    words = plain_text(text[step[0] : step[1]], images=False)
    if not refers_elsewhere(words, language):
        return
    for start, end in sentences(words, language=language):
        for name in _REFERENCES:
            if found := pattern_of(ManualWords, name, language).search(words, start, end):
                rest = words[start : found.start()] + words[found.end() : end]
                about = rest if content_words(rest, language) else words
                described = pattern_of(ManualWords, "descriptions_elsewhere", language).search(found.group())
                yield _Reference(found.group(), about, name == "references_back", described is not None)


def without_missing(words: str, missing: Sequence[str], language: str = ENGLISH) -> str | None:
    """Return a step without its remarks on what is missing (``as shown below``); None where it makes no sense then."""
    for one in missing:
        if not pattern_of(ManualWords, "remarks_on_place", language).match(one):
            return None
        words = " ".join(words.replace(one, "", 1).split(" "))
    return words


@dataclass(frozen=True)
class _KnownPlaces:
    """Where something can be that a step refers to."""

    text: str
    title: str
    found: Sequence[Section]
    materials: Sequence[Material]
    language: str

    def find(self, number: int, reference: _Reference, *, is_beside: bool) -> list[Span] | None:
        """Return the steps of what is referred to; none where its heading is named and it is too long to be brought.

        That is the section that the sentence names, in the doubtful case of one word after the sections below the
        step's own; else, if nothing is beside the step, the steps that share most words with it, where it says what to
        do and they have half of its words. Anything less is a remark ("as noted above"), which stays as it is. None if
        nothing is found.
        """
        about = content_words(reference.about, self.language)
        material, near_by = self.materials[number], self.materials[max(0, number - LOOKED_THROUGH) :]
        near_by = near_by[: 2 * LOOKED_THROUGH + 1]
        named = self._named(material, reference, about)
        is_sure = named is not None and self._worth(named, about)[0] > 1
        if not (is_sure or is_beside or reference.is_back) and (steps := self._steps_below(material, near_by)):
            return steps
        if named is not None:
            return self._steps_in(named, near_by)
        if is_beside:
            return None
        others = [m for m in near_by if (m.core[1] <= material.core[0]) is reference.is_back and m is not material]
        return self._nearest(others, reference, about)

    def _nearest(self, others: Sequence[Material], reference: _Reference, about: frozenset[str]) -> list[Span] | None:
        """Return the steps that share most words with a sentence, the nearest of equals."""
        in_order = reversed(others) if reference.is_back else others
        near = max(in_order, key=lambda m: self._shared(m, about), default=None)
        shared = self._shared(near, about) if near else 0
        if near is None or not shared:
            return None
        return self._brought(near) if shared * 2 >= len(about) and instructs(reference.about, self.language) else []

    def _named(self, material: Material, reference: _Reference, about: frozenset[str]) -> Section | None:
        """Return the section before (or after) a step whose heading names what a sentence is about."""
        here = material.core[0]
        others = [
            section
            for section in self.found[max(0, material.section - LOOKED_THROUGH) : material.section + LOOKED_THROUGH + 1]
            if section.headings
            and not section.start <= here < section.end
            and (section.start < here) is reference.is_back
            and self._is_named(section, reference, about)
        ]
        in_order = reversed(others) if reference.is_back else others
        return max(in_order, key=lambda s: self._worth(s, about), default=None)

    def _is_named(self, section: Section, reference: _Reference, about: frozenset[str]) -> bool:
        """Return whether a sentence names a heading: "restart as described above" does by a part of it.

        Any other has to have the whole heading and, looking back, more than one word: one is often there by chance.
        """
        words, part = self._worth(section, about)
        if reference.is_described:
            return words >= 1
        return part == 1 and words >= (1.5 if reference.is_back else 1)

    def _worth(self, section: Section, about: frozenset[str]) -> tuple[float, float]:
        """Return how many words a heading shares, those of the title by half, and which part of it they are."""
        heading = content_words(section.headings[-1], self.language)
        shared = heading & about
        in_title = len(shared & content_words(self.title, self.language))
        return len(shared) - in_title / 2, len(shared) / max(1, len(heading))

    def _shared(self, material: Material, about: frozenset[str]) -> int:
        return len(about & content_words(self.text[material.core[0] : material.core[1]], self.language))

    def _steps_in(self, section: Section, materials: Sequence[Material], but: Material | None = None) -> list[Span]:
        inside = [m for m in materials if section.start <= m.core[0] < section.end and m is not but]
        steps = [step for material in inside for step in self._brought(material)]
        return steps if sum(end - start for start, end in steps) <= MOST_BROUGHT else []

    def _steps_below(self, material: Material, materials: Sequence[Material]) -> list[Span]:
        own = self.found[material.section]
        return self._steps_in(own, materials, but=material) if own.end > own.own_end else []

    def _brought(self, target: Material) -> list[Span]:
        """Return the steps of what is referred to, with the heading where it is near, as one unless they are long."""
        start, end = target.core
        section = self.found[target.section].start
        if start - section <= NEAR_HEADING and end - section <= LONGEST_BROUGHT:
            return [(section, end)]
        if end - start <= LONGEST_BROUGHT:
            return [(start, end)]
        # the first step may begin with the words that lead over to the list, before its own
        return [step for step in target.steps if start < step[1] and step[0] < end]
