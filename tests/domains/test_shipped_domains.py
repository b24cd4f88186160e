"""The shipped domains are complete: specifications read, and documents and issues hold together."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
import yaml

from autokb.core.domain import DomainSpec, read_domain
from autokb.core.errors import BadInputError
from autokb.domains import domain_text, examples_folder, names

WITH_EXAMPLES = ("headphones", "medical")


def spec(name: str) -> DomainSpec:
    return read_domain(yaml.safe_load(domain_text(name)))


def issues(name: str) -> list[dict[str, str]]:
    folder = examples_folder(name)
    assert folder is not None
    with (folder / "issues" / "issues.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def documents(name: str) -> list[Path]:
    folder = examples_folder(name)
    assert folder is not None
    return sorted((folder / "documents").iterdir())


def test_the_names_are_the_contract():
    assert names() == ("headphones", "medical", "thunderbird")


@pytest.mark.parametrize("name", names())
def test_each_specification_reads_and_has_its_name(name):
    read = spec(name)
    assert read.name == name
    assert len(read.attributes) == 4
    assert len(read.rules) == 4
    assert all(rule.is_checked_offline for rule in read.rules)


def test_the_papers_attributes_and_values_are_there():
    headphones = spec("headphones").attributes
    assert headphones["headphone_type"].values == ("Earphone", "Earbud", "Headphone")
    assert headphones["connectivity"].values == ("Wired", "Wireless")
    assert headphones["secondary_device"].values == ("Laptop", "Phone", "Tablet")
    assert headphones["os"].values == ("Android", "iOS", "Windows", "Mac")
    assert headphones["os"].implies["iOS"] == {"secondary_device": frozenset({"Phone", "Tablet"})}
    medical = spec("medical").attributes
    assert medical["age"].values == ("Infant", "Child", "Adolescent", "Adult", "Elderly")
    assert medical["sex"].values == ("Male", "Female", "Other")
    assert medical["symptom_onset"].values == ("Immediate", "Recent", "Ongoing", "Prolonged", "Chronic")
    assert medical["condition"].kind == "open"
    assert medical["condition"].implies["Pregnancy"] == {"sex": frozenset({"Female"})}


def test_impossible_pairs_are_ruled_out():
    one = frozenset
    assert not spec("headphones").allows({"os": one({"Windows"}), "secondary_device": one({"Phone"})})
    assert spec("headphones").allows({"os": one({"iOS"}), "secondary_device": one({"Tablet"})})
    assert not spec("thunderbird").allows({"os": one({"Android"}), "app": one({"Desktop"})})
    assert spec("thunderbird").allows({"os": one({"macOS"}), "app": one({"Desktop"})})


@pytest.mark.parametrize("name", names())
def test_no_word_stands_for_two_values_of_one_attribute_unless_it_means_both(name):
    for attribute in spec(name).attributes.values():
        words = Counter(word for value in attribute.synonyms for word in set(attribute.synonyms[value]))
        assert [word for word, times in words.items() if times > 1] == []


def test_an_unknown_domain_is_refused_with_the_names():
    with pytest.raises(BadInputError, match="headphones, medical, thunderbird"):
        domain_text("toasters")
    with pytest.raises(BadInputError):
        examples_folder("toasters")


def test_thunderbird_ships_no_examples():
    assert examples_folder("thunderbird") is None


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_there_are_enough_documents(name):
    assert len(documents(name)) >= 12
    assert all(path.stat().st_size > 500 for path in documents(name))


def test_headphones_come_in_four_formats_and_some_pages_are_noisy():
    formats = Counter(path.suffix for path in documents("headphones"))
    assert set(formats) == {".html", ".md", ".docx", ".pdf"}
    assert min(formats.values()) >= 3
    pages = [path.read_text(encoding="utf-8") for path in documents("headphones") if path.suffix == ".html"]
    assert sum("cookie" in page and "<footer>" in page for page in pages) >= 3


@pytest.mark.parametrize(("name", "least"), [("headphones", 180), ("medical", 120)])
def test_issues_are_many_dated_and_point_to_documents_that_exist(name, least):
    rows = issues(name)
    known = {path.name for path in documents(name)}
    assert len(rows) >= least
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(row["title"] and row["text"] for row in rows)
    days = [date.fromisoformat(row["date"]) for row in rows]
    assert (max(days) - min(days)).days > 480
    resolved = [row["resolved_by"] for row in rows if row["resolved_by"]]
    assert set(resolved) <= known
    assert 0.4 < len(resolved) / len(rows) < 0.65
    assert set(resolved) == known


def test_headphone_issues_name_every_attribute_value():
    text = " ".join(f"{row['title']} {row['text']}".lower() for row in issues("headphones"))
    for word in ("earphones", "earbuds", "headphones", "wired", "bluetooth", "laptop", "iphone", "ipad", "android",
                 "windows", "mac", "tablet"):  # fmt: skip
        assert text.count(word) >= 5, word
