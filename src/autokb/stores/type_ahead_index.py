"""Texts found while somebody types: all words that stand there already, and those that begin with the last letters."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from autokb.core.domain import ENGLISH
from autokb.text.stemming import stem
from autokb.text.words import READ_AT_MOST, split_words, stop_words

QUERY_CHARACTERS = 500  # of what somebody types; the rest is not searched for
MOST_WORDS = 12  # of a query; more are never typed
TITLE_WEIGHT, TEXT_WEIGHT, STEM_WEIGHT = 6.0, 1.0, 0.5  # a word of the title says what a text is about
MATCHING = "SELECT rowid FROM entry WHERE entry MATCH ?"
RANKED = f"{MATCHING} ORDER BY bm25(entry, {TITLE_WEIGHT}, {TEXT_WEIGHT}, {STEM_WEIGHT}), rowid"
# The tokeniser of SQLite takes apart what is ASCII and neither letter nor digit; our words have been taken apart.
_INSIDE_WORDS = str.maketrans({"'": None, "+": "\u207a", "#": "\u266f", "_": "\uff3f"})


Entry = tuple[str, str, str]  # the words of a title and of a text, and the stems of both


@dataclass(frozen=True, slots=True)
class TypedWord:
    """A word of a query, folded, and its stem."""

    word: str
    stem: str

    def begins(self, folded: str) -> bool:
        """Return whether a folded word of a text is this one, or begins with it; a number is another one if longer."""
        return folded == self.word if self.word.isdigit() else folded.startswith(self.word)


class TypeAheadIndex:
    """A full-text index in memory that threads share; entries have numbers of the caller's."""

    def __init__(self, language: str = ENGLISH) -> None:
        self.language = language
        self._lock = Lock()
        self._db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._db.execute(
            "CREATE VIRTUAL TABLE entry USING fts5(title, text, stems, tokenize = 'ascii', prefix = '1 2 3')"
        )

    def add(self, entries: Iterable[tuple[int, str, str]]) -> None:
        """Add entries: number, title, text."""
        self.exchange((), [(number, self.read(title, text)) for number, title, text in entries])

    def remove(self, numbers: Iterable[int]) -> None:
        """Take entries out by their numbers."""
        self.exchange(numbers, ())

    def read(self, title: str, text: str) -> Entry:
        """Read what is to be found of a text: nearly all of the work, and no lock is held for it."""
        heading = split_words(title).folded
        body = [w for n in range(0, len(text), READ_AT_MOST) for w in split_words(text[n : n + READ_AT_MOST]).folded]
        stems = {fold(stem(word, self.language)) for word in {*heading, *body}}
        return " ".join(map(fold, heading)), " ".join(map(fold, body)), " ".join(sorted(stems))

    def exchange(self, gone: Iterable[int], new: Iterable[tuple[int, Entry]]) -> None:
        """Take entries out by their numbers and put others in, which were ``read`` before; it is quick then."""
        with self._lock:
            self._db.execute("BEGIN")
            self._db.executemany("DELETE FROM entry WHERE rowid = ?", [(n,) for n in gone])
            rows = ((number, *entry) for number, entry in new)
            self._db.executemany("INSERT INTO entry (rowid, title, text, stems) VALUES (?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")

    def find(self, query: str) -> list[int]:
        """Return the numbers of the entries that have every word of a query, whole or begun, best first (BM25)."""
        words = self.typed(query)
        if not words:
            return []
        wanted = " AND ".join(_wanted(words))
        with self._lock:
            return self._best_first(wanted)

    def find_partly(self, query: str) -> list[tuple[int, int]]:
        """Return the numbers of the entries that have any word of a query, each with how many, the most first."""
        wanted = _wanted(self.typed(query))
        if not wanted:
            return []
        with self._lock:
            counts = Counter(n for one in wanted for (n,) in self._db.execute(MATCHING, (one,)))
            ranked = self._best_first(" OR ".join(wanted))
        return sorted(((n, counts[n]) for n in ranked), key=lambda one: -one[1])

    def _best_first(self, wanted: str) -> list[int]:
        return [n for (n,) in self._db.execute(RANKED, (wanted,))]

    def typed(self, query: str) -> tuple[TypedWord, ...]:
        """Return the words of a query that count: none of grammar but the last, which may be the start of another."""
        words = split_words(query[:QUERY_CHARACTERS]).folded[:MOST_WORDS]
        unwanted = stop_words(self.language)
        said = [w for n, w in enumerate(words) if n == len(words) - 1 or w not in unwanted]
        typed = (TypedWord(fold(word), fold(stem(word, self.language))) for word in said)
        return tuple(dict.fromkeys(one for one in typed if one.word))

    def close(self) -> None:
        """Let go of the memory."""
        with self._lock:
            self._db.close()


def _wanted(words: Sequence[TypedWord]) -> list[str]:
    """Return what SQLite is asked for each word of a query."""
    # A single letter begins a word of nearly every text: titles alone tell what may be meant.
    columns = "title" if len(words) == 1 and len(words[0].word) == 1 and words[0].word.isascii() else "title text"
    stems = [f' OR stems : "{one.stem}"' if one.stem else "" for one in words]
    begun = ["" if one.word.isdigit() else " *" for one in words]
    return [f'({{{columns}}} : "{one.word}"{b}{s})' for one, b, s in zip(words, begun, stems, strict=True)]


def fold(word: str) -> str:
    """Return a word without accents, as it is compared; empty where it has nothing but marks."""
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
        word = "".join(c for c in word if not c.isascii() or c.isalnum() or c in "'+#_")
    return word.translate(_INSIDE_WORDS)
