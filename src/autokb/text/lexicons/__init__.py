"""Words as data: one folder of YAML a language, one file a kind of words, read into one typed noun.

A file only groups: each of its keys is a field of ``LanguageData``. What lies beside the folders holds in every
language. A set of words is one text with blanks between them; phrases have commas between them. Words that only one
of the heuristics reads lie in the folder ``heuristics`` of a language, in a file of their own with a class of their
own (``WordLists``), and are read when they are first asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, ClassVar, NewType, TypeVar, get_args, get_origin, get_type_hints

from autokb.core.domain import ENGLISH
from autokb.text.stemming import has_stemmer

_REFERENCE = re.compile(r"<([^<>]+)>")  # <iphones> stands for the entries of that list
AsWritten = NewType("AsWritten", str)  # the type of text that is not folded: names, sentences and patterns


@dataclass(frozen=True, slots=True)
class OtherSense:
    """Neighbours beside which a word means something else: words it then stands ``after`` or ``before``.

    ``only_small``: written with a capital it means what it does in the lexicon.
    """

    after: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    only_small: bool = False


@dataclass(frozen=True, slots=True)
class LanguageData:
    """What is known of the words of one language, all folded; a set that nobody wrote yet is empty.

    The YAML files say of each key what it holds and what it is for.
    """

    stop_words: frozenset[str] = frozenset()
    support_words: frozenset[str] = frozenset()
    greetings: tuple[str, ...] = ()
    courtesies: tuple[str, ...] = ()
    negations: frozenset[str] = frozenset()
    words_under_negation: frozenset[str] = frozenset()
    question_words: frozenset[str] = frozenset()
    question_verbs: frozenset[str] = frozenset()
    manner_words: frozenset[str] = frozenset()
    question_degrees: frozenset[str] = frozenset()
    imperative_verbs: frozenset[str] = frozenset()
    abbreviations: frozenset[str] = frozenset()
    numbering_abbreviations: frozenset[str] = frozenset()
    closing_abbreviations: frozenset[str] = frozenset()
    ordinals_end_with_full_stop: bool = False
    connectives: tuple[str, ...] = ()
    anaphors: tuple[str, ...] = ()
    optional_step_openings: tuple[str, ...] = ()
    number_words: Mapping[str, float] = field(default_factory=dict)
    months: Mapping[str, float] = field(default_factory=dict)
    irregular_plurals: Mapping[str, str] = field(default_factory=dict)
    words_without_singular: frozenset[str] = frozenset()
    alternative_conjunctions: frozenset[str] = frozenset()
    general_values: frozenset[str] = frozenset()
    everyday_words: frozenset[str] = frozenset()
    linking_words: frozenset[str] = frozenset()
    infinitive_words: frozenset[str] = frozenset()
    near_misses: frozenset[str] = frozenset()
    other_senses: Mapping[str, OtherSense] = field(default_factory=dict)
    value_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    devices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    markup_prefixes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    markup_endings: str = ""
    markup_versions: str = ""


def language_data(language: str = ENGLISH) -> LanguageData:
    """Return what is known of a language (ISO 639-1); an unknown one has what holds in every language."""
    return _load_language(language)  # the cache would keep a call without and one with the default apart


@cache
def _load_language(language: str) -> LanguageData:
    read = _read_fields(LanguageData, [*_files(""), *_files(language)])
    devices = read.get("devices", {})
    for name in ("devices", "value_names"):
        read[name] = {key: tuple(_expanded(phrases, devices)) for key, phrases in read.get(name, {}).items()}
    return LanguageData(**read)


class WordLists:
    """What one of the heuristics reads of a language: a frozen dataclass of sets, phrases and mappings of words.

    Every field has an empty default, for what a language lacks; with empty words an engine finds nothing.
    """

    file: ClassVar[str]  # the name of heuristics/NAME.yaml in the folder of a language


Lists = TypeVar("Lists", bound=WordLists)


def word_lists(kind: type[Lists], language: str = ENGLISH) -> Lists:
    """Return the words of a language (ISO 639-1) that one of the heuristics reads, read once a process."""
    anything: Any = kind
    found: Lists = _read_lists(anything, language)
    return found


@cache
def _read_lists(kind: Any, language: str) -> Any:
    places = [f"{folder}/heuristics/{kind.file}.yaml".lstrip("/") for folder in ("", language)]
    found = [(place, files(__package__).joinpath(*place.split("/"))) for place in places]
    return kind(**_read_fields(kind, [(place, _entries(file)) for place, file in found if file.is_file()]))


def _read_fields(kind: Any, written: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the values of the fields of a class that files have; mappings of several files are one."""
    kinds, known = get_type_hints(kind), {field.name for field in fields(kind)}
    read: dict[str, Any] = {}
    for file, entries in written:
        for name, entry in entries.items():
            if name not in known:
                raise ValueError(f"{file}: {name!r} is no field of {kind.__name__}")
            value = _read(kinds[name], entry, f"{file}: {name}")
            read[name] = {**read[name], **value} if isinstance(value, dict) and name in read else value
    return read


def alternation(phrases: Iterable[str]) -> str:
    """Return the pattern that finds the first of these folded phrases that fits; of no phrases it finds nothing."""
    escaped = (re.escape(phrase).replace(r"\ ", " ") for phrase in phrases)
    return "|".join(pattern.replace("ss", "(?:ss|ß)") for pattern in escaped) or "(?!)"  # ß is folded to ss


def longest_of(phrases: Iterable[str]) -> str:
    """Return the pattern that finds the longest of these folded phrases that fits; of no phrases it finds nothing."""
    return alternation(sorted(phrases, key=len, reverse=True))


def any_of(patterns: Iterable[str]) -> str:
    """Return the pattern that finds what one of these patterns finds; of no patterns it finds nothing."""
    return "|".join(patterns) or "(?!)"


def ignoring_case(pattern: str) -> re.Pattern[str]:
    """Return a pattern that finds words in capitals and in small letters."""
    return re.compile(pattern, re.IGNORECASE)


@cache
def pattern_of(
    kind: type[WordLists], name: str, language: str = ENGLISH, before: str = "", after: str = ""
) -> re.Pattern[str]:
    """Return the pattern that finds one of the ``patterns`` of a name, or of the phrases of a field, the longest first.

    ``before`` and ``after`` are patterns of what stands around it. An empty list finds nothing.
    """
    anything: Any = word_lists(kind, language)
    if name in getattr(word_lists(kind), "patterns", ()):
        found = any_of(anything.patterns.get(name, ()))
    else:
        found = longest_of(getattr(anything, name))
    return ignoring_case(f"{before}(?:{found}){after}")


# Complex: word lists, whole files and the stemmer can be missing, and each is named in another way.
@cache
def missing(language: str) -> tuple[str, ...]:
    """Return what English has and a language lacks so far: kinds of words (``value names``), a stemmer.

    Of what one of the heuristics reads only a whole file is missing: another grammar needs other lists in it.
    """
    there = {name for _, entries in _files(language) for name in entries}
    lacking: list[str] = []
    for file, entries in _files(ENGLISH):
        absent = [name for name in entries if name not in there]
        lacking += [_kind(file)] if len(absent) == len(entries) else absent
    read = {_kind(file) for file, _ in _files(f"{language}/heuristics")}
    lacking += [kind for file, _ in _files(f"{ENGLISH}/heuristics") if (kind := _kind(file)) not in read]
    lacking += [] if has_stemmer(language) else ["stemmer"]
    return tuple(name.replace("_", " ") for name in lacking)


def _kind(file: str) -> str:
    return file.removesuffix(".yaml").rpartition("/")[2]


def missing_sentence(language: str) -> str:
    """Return one sentence that says what a language lacks, or nothing where it lacks nothing."""
    if not (kinds := ", ".join(missing(language))):
        return ""
    return (
        f"The domain's language is {language!r}, for which these are not there yet: {kinds}. "
        "What is worked out from them offline finds nothing."
    )


def _files(language: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the files of a language, or of all languages, with their entries, in order of their names."""
    folder = files(__package__).joinpath(*language.split("/"))
    for file in sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else ():
        if file.name.endswith(".yaml"):
            yield f"{language}/{file.name}", _entries(file)


def _entries(file: Traversable) -> Mapping[str, Any]:
    import yaml

    # The parser in C, where PyYAML was built with it, reads a language in a tenth of the time.
    found: Mapping[str, Any] = yaml.load(file.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return found


def _read(kind: Any, entry: Any, place: str) -> Any:
    """Turn an entry into the type of its field; what has another shape is an error (ValueError)."""
    if get_origin(kind) is Mapping and isinstance(entry, Mapping):
        value_kind = get_args(kind)[1]
        return {_folded(key, place): _read(value_kind, value, f"{place}: {key}") for key, value in entry.items()}
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(entry, Mapping):
        kinds = get_type_hints(kind)
        if not entry.keys() <= kinds.keys():
            raise ValueError(f"{place} takes {sorted(kinds)}")
        return kind(**{name: _read(kinds[name], value, place) for name, value in entry.items()})
    if get_origin(kind) is frozenset:
        return frozenset(_folded(entry, place).split())
    if get_origin(kind) is tuple:
        return _phrases(entry, place, as_written=AsWritten in get_args(kind))
    return _value(kind, entry, place)


def _phrases(entry: Any, place: str, *, as_written: bool) -> tuple[str, ...]:
    """Read phrases that commas part; such as hold commas themselves are a list."""
    if isinstance(entry, list) and as_written:
        return tuple(_text(part, place) for part in entry)
    text = _text(entry, place) if as_written else _folded(entry, place)
    return tuple(phrase for part in text.split(",") if (phrase := " ".join(part.split())))


def _value(kind: Any, entry: Any, place: str) -> bool | float | str:
    if kind is bool and isinstance(entry, bool):
        return entry
    if kind is float and isinstance(entry, int | float) and not isinstance(entry, bool):
        return float(entry)
    if kind is str:
        return _folded(entry, place)
    if kind is AsWritten:
        return _text(entry, place)
    raise ValueError(f"{place} has the wrong shape")


def _folded(entry: Any, place: str) -> str:
    return _text(entry, place).casefold()


def _text(entry: Any, place: str) -> str:
    # YAML takes no, on and 7 for other things than words; in quotation marks they are words.
    if not isinstance(entry, str):
        raise ValueError(f"{place}: {entry!r} is no text; put it into quotation marks")
    return entry


def _expanded(phrases: tuple[str, ...], lists: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Give phrases with the entries of a list in place of its name."""
    for phrase in phrases:
        if reference := _REFERENCE.fullmatch(phrase):
            yield from _expanded(lists[reference.group(1)], lists)
        else:
            yield phrase
