"""What a model that chooses (``ask: {model: ...}``) makes of unseen questions: any reader can stand for the model.

``python -m benchmarks.chosen FOLDER`` asks questions of the report half over five knowledge bases. What a model would
be asked is written to ``FOLDER/HASH.md``; whoever reads it, person or model, writes to ``FOLDER/HASH.json`` the JSON
object that it asks for. Asked again, the command prints the figures without and with these replies, paired; where a
reply is missing the offline answer counts, and their number is said. With ``--style reply`` the reader also writes the
replies to customers; said are the share that passes the checks, their length, and why the others do not.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from autokb.core.settings import REPLY, STEPS, STYLES
from benchmarks.answers import BASES, Base, Gold, Graded, grade, make, questions
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


def compare(place: Path, replies: Path, count: int, style: str = STEPS) -> tuple[list[tuple[Graded, Graded]], int, int]:
    """Return each question's answer without and with the replies; how many were asked about, and how many replied."""
    written: set[str] = set()
    replied: set[str] = set()

    def reply(body: dict[str, Any]) -> Any:
        prompt = prompt_of(body)
        name = hashlib.sha256(prompt.encode()).hexdigest()[:12]
        written.add(name)
        (replies / f"{name}.md").write_text(prompt, encoding="utf-8")
        if not (file := replies / f"{name}.json").is_file():
            return stub.status(500)
        replied.add(name)
        return file.read_text(encoding="utf-8")

    found = []
    with serving(reply) as server, folder() as copies:  # a ledger that is kept would answer in the place of the replies
        bases = {}
        for name in BASES:
            copy = Path(shutil.copytree(make(name, place / name), copies / name))
            set_chooser(copy, server.url)
            bases[name] = Base(name, copy)
        for name, gold in asked(count):
            base = bases[name]
            before = base.kb.ask(gold["question"], model="offline", log=False).as_json()
            after = base.kb.ask(gold["question"], style=style, log=False).as_json()
            found.append((grade(base, gold, before), grade(base, gold, after)))
    return found, len(written), len(replied)


def set_chooser(workspace: Path, url: str, timeout: float = 60.0) -> None:
    """Have a workspace ask the served model at question time, for at most ``timeout`` seconds."""
    text = f"base_url: {url}\nretries: 0\nask: {{model: 'openai:reader', timeout: {timeout:g}}}\n"
    (workspace / "settings.yaml").write_text(text + "prices: {reader: {input: 0.25, output: 1.25}}\n", encoding="utf-8")


def figures(pairs: Sequence[tuple[Graded, Graded]]) -> Iterator[Figure]:
    """Give the means without and with the model, and what it gains, paired."""
    for column in COLUMNS:
        both = [(a, b) for a, b in ((x.values[column], y.values[column]) for x, y in pairs) if None not in (a, b)]
        unit = f"of {len(both)}"
        without, with_it = [float(a or 0) for a, _ in both], [float(b or 0) for _, b in both]
        yield Figure(f"{column}.offline", sum(without) / len(both), unit)
        yield Figure(f"{column}.chosen", sum(with_it) / len(both), unit)
        gain = [b - a for a, b in zip(without, with_it, strict=True)]
        mean = sum(gain) / len(gain)
        error = (sum((g - mean) ** 2 for g in gain) / max(1, len(gain) - 1) / len(gain)) ** 0.5
        yield Figure(f"{column}.gain", mean, f"standard error {error:.3f}")


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


def main() -> None:
    """Ask, and print what the replies that are there make of it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("replies", type=Path, help="the folder of prompts and replies")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--keep", type=Path, help="a folder for the workspaces, built once and asked again")
    parser.add_argument("--show", action="store_true", help="print the questions whose grade changes")
    parser.add_argument("--style", choices=STYLES, default=STEPS, help="reply: have the reader write replies too")
    options = parser.parse_args()
    options.replies.mkdir(parents=True, exist_ok=True)
    with folder() as temporary:
        pairs, prompts, replied = compare(options.keep or temporary, options.replies, options.count, options.style)
    print(f"{len(pairs)} questions, {prompts} of them put to the model, {replied} replies")
    for figure in figures(pairs):
        print(f"{figure.name:<36}{figure.value:>8.3f}  {figure.unit}")
    if options.style == REPLY:
        print(*written([after.answer for _, after in pairs]), sep="\n")
    for before, after in pairs if options.show else ():
        changed = {c: (before.values[c], after.values[c]) for c in COLUMNS if before.values[c] != after.values[c]}
        if changed:
            print(before.base, before.gold["kind"], before.gold["question"], changed, after.answer.get("reader"))


if __name__ == "__main__":
    main()
