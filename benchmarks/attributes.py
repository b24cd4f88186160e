"""Precision and recall of the attribute values read offline, against labels written by hand before the reader was.

Texts are read as ``ask`` reads a question; ``task`` in a figure's name is what the task reads out of a raw issue.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from autokb.core.attributes import as_lists, from_lists
from autokb.core.domain import DomainSpec, read_domain
from autokb.core.implications import without_left_open
from benchmarks.figures import Figure, Result

LABELS = Path(__file__).parent / "data" / "attributes"
DOMAINS = {
    "headphones": "headphones",
    "medical": "medical",
    "thunderbird": "thunderbird",
    "thunderbird_real": "thunderbird",
}
READERS = ("question", "task")
AIM = 0.95  # of what is read at question time, on labels not seen while writing
Pair = tuple[str, str, str]


def run(options: argparse.Namespace) -> Result:
    """Read every labelled text of every domain and compare; the half kept for the report has the aim."""
    figures: list[Figure] = []
    detail: dict[str, Any] = {}
    for reader in READERS:
        prefix = "" if reader == "question" else f"{reader}."
        everything: dict[str, list[tuple[set[Pair], set[Pair]]]] = {"tune": [], "report": []}
        for name in DOMAINS:
            for split in everything:
                if pairs := list(_compared(name, split, reader)):
                    everything[split] += pairs
                    figures += _figures(f"{prefix}{name}.{split}", pairs, None)
                    detail[f"{name}.{split}"] = {"texts": len(pairs), "labelled_values": sum(len(w) for w, _ in pairs)}
        for split, pairs in everything.items():
            has_aim = split == "report" and reader == "question"
            figures += _figures(f"{prefix}all.{split}", pairs, AIM if has_aim else None)
    return Result("attributes", figures, detail)


def _figures(name: str, pairs: list[tuple[set[Pair], set[Pair]]], aim: float | None) -> Iterator[Figure]:
    wanted, found = set[Pair]().union(*(w for w, _ in pairs)), set[Pair]().union(*(f for _, f in pairs))
    both = len(wanted & found)
    yield Figure(f"{name}.precision", both / len(found) if found else None, "share of values", at_least=aim)
    yield Figure(f"{name}.recall", both / len(wanted) if wanted else None, "share of values", at_least=aim)
    yield Figure(
        f"{name}.texts_all_right", sum(w == f for w, f in pairs) / len(pairs) if pairs else None, "share of texts"
    )


def comparable(attributes: Mapping[str, Iterable[str]], spec: DomainSpec) -> dict[str, list[str]]:
    """Return values in their one spelling, without several that are only what the other values leave open."""
    return as_lists(without_left_open(from_lists(attributes), spec.attributes))


def _compared(name: str, split: str, reader: str) -> Iterator[tuple[set[Pair], set[Pair]]]:
    for record, read in _read(name, split, reader):
        yield _pairs(record["id"], record["attributes"]), _pairs(record["id"], read)


def _pairs(text_id: str, attributes: dict[str, list[str]]) -> set[Pair]:
    return {(text_id, name, value.casefold()) for name, values in attributes.items() for value in values}


def _read(name: str, split: str, reader: str) -> Iterator[tuple[dict[str, Any], dict[str, list[str]]]]:
    import yaml

    from autokb.domains import domain_text
    from autokb.retrieval.read_question import read_question
    from autokb.tasks.issues.extract_attributes.task import TASK, ExtractAttributes

    spec = read_domain(yaml.safe_load(domain_text(DOMAINS[name])))
    for record in labelled(name):
        if record["split"] == split:
            read = (
                as_lists(read_question(record["text"], {}, spec).attributes)
                if reader == "question"
                else TASK.answer_offline(ExtractAttributes(record["text"], "issue", spec.attributes)).attributes
            )
            yield {**record, "attributes": comparable(record["attributes"], spec)}, comparable(read, spec)


def labelled(name: str) -> Iterable[dict[str, Any]]:
    """Return the labelled texts of a domain; none of real questions where their texts are not there."""
    return _with_text(_lines(LABELS / f"{name}.jsonl"))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def _with_text(records: list[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """Labels of real questions stand without their text, which the data's licence keeps out of the repository."""
    if all("text" in record for record in records):
        return records
    from benchmarks import thunderbird

    try:
        texts = {issue["issue_id"]: f"{issue['title']}\n{issue['text']}" for issue in thunderbird.issues()}
    except SystemExit:
        return []
    return [{**record, "text": texts[record["id"]]} for record in records if record["id"] in texts]


def main() -> None:
    """Print the texts of one split that are read wrongly: ``python -m benchmarks.attributes tune``."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("split", choices=["tune", "report"])
    split = parser.parse_args().split
    for name in DOMAINS:
        for record, read in _read(name, split, "question"):
            wanted, found = _pairs(record["id"], record["attributes"]), _pairs(record["id"], read)
            if wanted != found:
                print(record["id"], record["text"][:600].replace("\n", " "))
                print(
                    "   missed",
                    sorted(p[1:] for p in wanted - found),
                    "invented",
                    sorted(p[1:] for p in found - wanted),
                )


if __name__ == "__main__":
    main()
