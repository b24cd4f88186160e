"""Hostile domain.yaml and settings.yaml: bombs, depth, tags, torn and huge files, slow patterns, odd names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.hostile_cases.case import MEGABYTE, Case, Command, many, write_parts
from benchmarks.serving import hand_made_kb

CASES: list[Case] = []
GOOD = hand_made_kb.DOMAIN.encode()
OSC_52 = "\\e]52;c;aGk=\\a\\u202e"
COMMANDS = (
    Command("show {here}/kb", on_terminal=True),
    Command("build {here}/kb --yes"),
    Command("ask {here}/kb 'the robot does not pair with my phone'"),
    Command("export {here}/kb {here}/kb.jsonl"),
)


def domain(name: str, *parts: bytes | Iterable[bytes], heavy: bool = False) -> None:
    """Add a case of a domain.yaml, in a workspace and as what a new one is made of."""

    def make(here: Path) -> None:
        write_parts(here / "kb" / "domain.yaml", *(list(p) if not isinstance(p, bytes) else p for p in parts))

    commands = (*COMMANDS, Command("init {here}/new --domain {here}/kb/domain.yaml"))
    CASES.append(Case("yaml", f"domain: {name}", make, commands, "lawn", heavy=heavy))


def settings(name: str, *parts: bytes | Iterable[bytes], heavy: bool = False) -> None:
    """Add a case of a settings.yaml."""

    def make(here: Path) -> None:
        write_parts(here / "kb" / "settings.yaml", *(list(p) if not isinstance(p, bytes) else p for p in parts))

    CASES.append(Case("yaml", f"settings: {name}", make, (*COMMANDS, Command("plan {here}/kb")), "lawn", heavy=heavy))


def place(name: str, make: Callable[[Path], object], *, heavy: bool = False) -> None:
    """Add a case in which the file itself is odd."""
    CASES.append(Case("yaml", name, make, COMMANDS, "lawn", heavy=heavy))


def rule(pattern: str) -> bytes:
    """Return a domain with one more rule of this pattern."""
    return GOOD + f"  - {{id: odd, text: Do not., patterns: [{pattern}]}}\n".encode()


def attribute(name: str, entry: str) -> bytes:
    """Return a domain with this attribute."""
    return f"name: lawn\nattributes:\n  {name}: {entry}\nrules: [Do not lie.]\n".encode()


BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n" % (n, n, *[n - 1] * 8) for n in range(ord("b"), ord("k"))
)
domain("aliases of aliases", b"name: lawn\n", BOMB)
domain("an alias of itself", b"name: lawn\nattributes: &a {x: *a}\n")
domain(
    "merges of merges",
    b"name: lawn\nm0: &m0 {a: 1}\n",
    (b"m%d: &m%d {<<: [*m%d, *m%d], b%d: 1}\n" % (n, n, n - 1, n - 1, n) for n in range(1, 25)),
)
domain("20,000 brackets deep", b"name: ", b"[" * 20_000, b"]" * 20_000)
domain("300 levels", b"name: lawn\nreply: ", b"{a: " * 300, b"1", b"}" * 300)
domain("a tag of Python", b"name: !!python/object/apply:os.system ['id']\n")
domain("other tags", b"name: lawn\ndescription: !!binary aGk=\nlanguage: !!set {en}\n")
domain("dates and odd numbers", b"name: 2026-01-02\ndescription: .nan\nlanguage: 1e999\nreply: {max_words: .inf}\n")
domain("a number of 5,000 digits", b"name: lawn\nreply: {max_words: ", b"9" * 5_000, b"}\n")
domain("torn in its rules", GOOD[:-20])
domain("torn in its attributes", GOOD[: len(GOOD) // 2])
domain("empty", b"")
domain("spaces and comments", b"# nothing\n   \n")
domain("NUL and noise", b"\x00\xff\xfe", bytes(range(256)))
domain("UTF-16", GOOD.decode().encode("utf-16"))
domain("20 MB", b"name: lawn\ndescription: ", many(b"word ", 4 * MEGABYTE), heavy=True)
domain("490,000 characters", b"name: lawn\ndescription: >\n", many(b"  word word word\n", 28_000))
domain("40,000 names", b"name: lawn\nreply:\n", (b"  n%d: 1\n" % n for n in range(40_000)))
domain(
    "20,000 values of an attribute",
    b"name: lawn\nattributes: {x: {kind: closed, values: [",
    (b"v%d," % n for n in range(20_000)),
    b"]}}\nrules: [a]\n",
)
domain(
    "2,000 attributes",
    b"name: lawn\nattributes:\n",
    (b"  a%d: {values: [x, y]}\n" % n for n in range(2_000)),
    b"rules: [a]\n",
)
domain(
    "values that are prefixes and signs",
    attribute("x", "{values: [a, aa, '.*', '(', '', ' ', '\\', '|'], synonyms: {a: ['', '(', '[a']}}"),
)
domain("values that settle each other", attribute("x", "{values: [a, b], implies: {a: {x: [b]}, b: {x: [a], y: [c]}}}"))
domain(
    "control characters",
    f'name: "{OSC_52}"\ndescription: "{OSC_52}"\n'.encode(),
    f'attributes: {{"{OSC_52}": {{values: ["{OSC_52}", b]}}}}\nrules: ["{OSC_52}"]\n'.encode(),
)
domain("halves of characters", b'name: "\\ud83d"\ndescription: "a \\ud83d b"\nrules: ["\\udc00"]\n')
domain("lists for names", b"name: [lawn]\ndescription: {a: b}\nattributes: [a]\nrules: {a: b}\nreply: 3\ntickets: x\n")
domain("a language nobody knows", b"name: lawn\nlanguage: klingon\n")
domain("a language of another kind", b"name: lawn\nlanguage: [en, {de: 1}]\n")
domain("a slow pattern", rule("'(\\w+\\s?)+(\\w+)*$!'"))
domain(
    "thirty slow patterns",
    GOOD,
    (b"  - {id: r%d, text: No., patterns: ['(\\w+\\s?)+(.*)*%d$!']}\n" % (n, n) for n in range(30)),
)
domain("a pattern that explodes when compiled", rule("'((((a{1,100}){1,100}){1,100}){1,100}){1,100}'"))
domain("a pattern of huge numbers", rule("'a{4294967295}'"))
domain("a pattern of 9,000 brackets", rule("'" + "(" * 4_500 + ")" * 4_500 + "'"))
domain("patterns that are none", rule("'(', '[', '*', '(?P<a', '\\\\', 5, null"))
domain("a pattern of 100,000 characters", rule("'" + "a|" * 50_000 + "b'"))
domain(
    "5,000 patterns",
    GOOD,
    b"  - {id: many, text: No., patterns: [",
    (b"'word%d (a|b)+c'," % n for n in range(5_000)),
    b"]}\n",
)

settings("aliases of aliases", BOMB)
settings("empty", b"")
settings("torn", b"model: 'offl")
settings("numbers out of all bounds", b"concurrency: 0\n")
settings("a number of 5,000 digits", b"timeout: ", b"9" * 5_000)
settings("infinite prices", b"prices: {x: {input: .inf, output: 1e999}}\n")
settings("prices that are none", b"prices: {x: {input: nan, output: [1]}}\n")
settings("a model of nobody", b"model: nobody:nothing\n")
settings("control characters", f'model: "{OSC_52}"\nchunker: "{OSC_52}"\n'.encode())
settings("a wide and early chunker", b"chunker: headings\nmax_size: 1\n")
settings("the largest sizes", b"max_size: 1000000000\nconcurrency: 1000000000\nwindow: 1000000000\n")
settings("an embedder in a folder of nobody", b"embedder: local:/nowhere\n")
settings("an address that is none", b"model: openai:x\nbase_url: 'javascript:1'\n")
settings("names nobody knows", b"modle: offline\n")
settings("20 MB", b"model: ", many(b"word ", 4 * MEGABYTE), heavy=True)


def _sparse(here: Path) -> None:
    with (here / "kb" / "domain.yaml").open("wb") as empty:
        empty.truncate(500 * MEGABYTE)


def _instead(file: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    def replace(here: Path) -> object:
        (here / "kb" / file).unlink()
        return make(here / "kb" / file)

    return replace


place("domain: 500 MB without content", _sparse, heavy=True)
place("domain: a folder", _instead("domain.yaml", lambda path: path.mkdir()))
place("domain: a pipe", _instead("domain.yaml", os.mkfifo))
place("domain: a device", _instead("domain.yaml", lambda path: path.symlink_to("/dev/zero")), heavy=True)
place("domain: gone", _instead("domain.yaml", lambda path: path))
place("settings: a pipe", _instead("settings.yaml", os.mkfifo))
place("settings: a link to itself", _instead("settings.yaml", lambda path: path.symlink_to(path.name)))
