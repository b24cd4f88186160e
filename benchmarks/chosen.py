"""What a model that chooses (``ask: {model: ...}``) makes of unseen questions: any reader can stand for the model.

``python -m benchmarks.chosen FOLDER`` asks questions of the report half over five knowledge bases. What a model would
be asked is written to ``FOLDER/HASH.md``; whoever reads it, person or model, writes to ``FOLDER/HASH.json`` the JSON
object that it asks for. Asked again, the command prints the figures without and with these replies, paired; where a
reply is missing the offline answer counts, and their number is said. With ``--style reply`` the reader also writes the
replies to customers; said are the share that passes the checks, their length, and why the others do not. With
``--conversations`` the measured conversations of the benchmark of that name are asked in the place of questions.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from autokb.core.nouns import Message
from autokb.core.settings import REPLY, STEPS, STYLES
from benchmarks.answers import BASES, Base, Gold, Graded, grade, make, questions
from benchmarks.conversations import BASES as OF_CONVERSATIONS
from benchmarks.conversations import conversations, is_right
from benchmarks.figures import Figure
from benchmarks.running import folder
from benchmarks.serving import serving, stub

COLUMNS = ("outcome_right", "first_shown_right", "one_of_first_three_right", "off_topic_refused")


def prompt_of(body: dict[str, Any]) -> str:
    """Return a request as its reader sees it: both turns and the schema of the reply."""
    turns = "\n\n".join(message["content"] for message in body["messages"])
    schema = json.dumps(body["response_format"]["json_schema"]["schema"], ensure_ascii=False)
    return f"{turns}\n\nThe JSON schema of your reply:\n{schema}\n"


def asked(count: int) -> Iterator[tuple[str, Gold]]:
    """Give so many questions of the report half, the first by the hash of their ids, with their bases."""
    every = [(name, gold) for name in BASES for gold in questions(name) if gold["part"] == "report"]
    yield from sorted(every, key=lambda one: hashlib.sha256(f"chosen {one[1]['id']}".encode()).hexdigest())[:count]


class FiledReader:
    """A model whose requests and replies are files of one folder, by the hash of the prompt.

    So that several readers can share the work, prompts are spread over so many folders in it, ``r1`` and so on.
    """

    def __init__(self, replies: Path, readers: int = 1) -> None:
        self.replies = replies
        self.folders = [replies] if readers == 1 else [replies / f"r{number}" for number in range(1, readers + 1)]
        for folder_of_reader in self.folders:
            folder_of_reader.mkdir(parents=True, exist_ok=True)
        self.asked: set[str] = set()
        self.replied: set[str] = set()
        self._writing = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Any:
        """Return the reply to a request, and a failure where nobody has written one."""
        prompt = prompt_of(body)
        name = hashlib.sha256(prompt.encode()).hexdigest()[:12]
        self.asked.add(name)
        with self._writing:
            written = next(self.replies.rglob(f"{name}.md"), None) or self._emptiest() / f"{name}.md"
            written.write_text(prompt, encoding="utf-8")
        if not (file := written.with_suffix(".json")).is_file():
            return stub.status(500)
        self.replied.add(name)
        return file.read_text(encoding="utf-8")

    def _emptiest(self) -> Path:
        """Return the folder with the fewest prompts."""
        return min(self.folders, key=lambda one: sum(1 for _ in one.glob("*.md")))


@contextmanager
def read_bases(place: Path, reader: FiledReader, names: Sequence[str]) -> Iterator[dict[str, Base]]:
    """Give copies of the bases that ask the reader; a ledger that is kept would answer in its place."""
    with serving(reader) as server, folder() as copies:
        bases = {}
        for name in names:
            copy = Path(shutil.copytree(make(name, place / name), copies / name))
            set_chooser(copy, server.url)
            bases[name] = Base(name, copy)
        yield bases


def compare(place: Path, reader: FiledReader, count: int, style: str = STEPS) -> list[tuple[Graded, Graded]]:
    """Return each question's answer without and with the replies."""
    found = []
    with read_bases(place, reader, BASES) as bases:
        for name, gold in asked(count):
            base = bases[name]
            before = base.kb.ask(gold["question"], model="offline", log=False).as_json()
            after = base.kb.ask(gold["question"], style=style, log=False).as_json()
            found.append((grade(base, gold, before), grade(base, gold, after)))
    return found


def converse(place: Path, reader: FiledReader, count: int) -> Iterator[tuple[str, float, float]]:
    """Give for conversations whether the first suggestion, and one of three, is right, without and with the replies."""
    every = conversations(tuning=False)
    cases = sorted(every, key=lambda one: hashlib.sha256(f"chosen {one['id']}".encode()).hexdigest())[:count]
    with read_bases(place, reader, OF_CONVERSATIONS) as bases:
        for case in cases:
            said = [Message(one["role"], one["text"]) for one in case["messages"]]
            systems = (Base(case["base"], place / case["base"]), bases[case["base"]])
            right = [
                [is_right(b, case, one.evidence) for one in b.kb.suggest(said, log=False).suggestions] for b in systems
            ]
            yield "first", *(float(some[:1] == [True]) for some in right)  # type: ignore[misc]
            yield "one_of_three", *(float(any(some)) for some in right)  # type: ignore[misc]


def set_chooser(workspace: Path, url: str, timeout: float = 60.0) -> None:
    """Have a workspace ask the served model at question time, for at most ``timeout`` seconds."""
    text = f"base_url: {url}\nretries: 0\nask: {{model: 'openai:reader', timeout: {timeout:g}}}\n"
    (workspace / "settings.yaml").write_text(text + "prices: {reader: {input: 0.25, output: 1.25}}\n", encoding="utf-8")


def figures(pairs: Sequence[tuple[Graded, Graded]]) -> Iterator[Figure]:
    """Give the means without and with the model, and what it gains, paired."""
    for column in COLUMNS:
        yield from gains(column, [(x.values[column], y.values[column]) for x, y in pairs])


def gains(name: str, pairs: Sequence[tuple[float | None, float | None]]) -> Iterator[Figure]:
    """Give the mean of one figure without and with the model, and its gain, paired."""
    both = [(float(a), float(b)) for a, b in pairs if a is not None and b is not None]
    unit = f"of {len(both)}"
    yield Figure(f"{name}.offline", mean(a for a, _ in both), unit)
    yield Figure(f"{name}.chosen", mean(b for _, b in both), unit)
    gain = [b - a for a, b in both]
    error = stdev(gain) / len(gain) ** 0.5 if len(gain) > 1 else 0.0
    yield Figure(f"{name}.gain", mean(gain), f"standard error {error:.3f}")


def written(answers: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Say how many of the replies that were asked for pass the checks, how long these are, and why others do not."""
    asked_for = [one for one in answers if one["reply"]["writer"]["seconds"]]  # of the others nobody was asked
    passed = [one["reply"] for one in asked_for if one["reply"]["text"]]
    yield f"{len(asked_for)} replies to write, {len(passed)} pass"
    if passed:
        words = mean(len(one["text"].split()) for one in passed)
        yield f"of those that pass {mean(len(one['sentences']) for one in passed):.1f} sentences, {words:.0f} words"
    for one in asked_for:
        if note := one["reply"]["writer"]["note"]:
            yield f"  {one['query']!r}: {note}"


def show(some: Iterable[Figure]) -> None:
    """Print figures, a line each."""
    for figure in some:
        print(f"{figure.name:<36}{figure.value:>8.3f}  {figure.unit}")


def main() -> None:
    """Ask, and print what the replies that are there make of it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("replies", type=Path, help="the folder of prompts and replies")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--keep", type=Path, help="a folder for the workspaces, built once and asked again")
    parser.add_argument("--show", action="store_true", help="print the questions whose grade changes")
    parser.add_argument("--conversations", action="store_true", help="ask conversations, not questions")
    parser.add_argument("--style", choices=STYLES, default=STEPS, help="reply: have the reader write replies too")
    options = parser.parse_args()
    options.replies.mkdir(parents=True, exist_ok=True)
    reader = FiledReader(options.replies)
    with folder() as temporary:
        place = options.keep or temporary
        if options.conversations:
            found = list(converse(place, reader, options.count))
            for name in ("first", "one_of_three"):
                show(gains(name, [(a, b) for kind, a, b in found if kind == name]))
            print(f"{len(reader.asked)} put to the model, {len(reader.replied)} replies")
            return
        pairs = compare(place, reader, options.count, options.style)
    print(f"{len(pairs)} questions, {len(reader.asked)} of them put to the model, {len(reader.replied)} replies")
    show(figures(pairs))
    if options.style == REPLY:
        print(*written([after.answer for _, after in pairs]), sep="\n")
    for before, after in pairs if options.show else ():
        changed = {c: (before.values[c], after.values[c]) for c in COLUMNS if before.values[c] != after.values[c]}
        if changed:
            print(before.base, before.gold["kind"], before.gold["question"], changed, after.answer.get("reader"))


if __name__ == "__main__":
    main()
