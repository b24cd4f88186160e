"""The hand-labelled attribute sets are whole: every label is a value, halves are even, texts are our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from autokb.core.domain import DomainSpec, read_domain
from autokb.domains import domain_text

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "data" / "attributes"
SETS = {
    "headphones": "headphones",
    "medical": "medical",
    "thunderbird": "thunderbird",
    "thunderbird_real": "thunderbird",
}


def rows(name: str) -> list[dict[str, Any]]:
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def spec(name: str) -> DomainSpec:
    return read_domain(yaml.safe_load(domain_text(SETS[name])))


@pytest.mark.parametrize("name", SETS)
def test_every_label_names_an_attribute_and_a_value_that_exist(name):
    attributes = spec(name).attributes
    for row in rows(name):
        for attribute, values in row["attributes"].items():
            assert values, row
            if attributes[attribute].kind == "closed":
                assert set(values) <= {*attributes[attribute].values, "Any"}, row
                assert set(values) != set(attributes[attribute].values), "the whole set is written Any"


@pytest.mark.parametrize("name", SETS)
def test_labels_are_combinations_that_the_domain_allows(name):
    domain = spec(name)
    for row in rows(name):
        assert domain.allows({k: frozenset(v) for k, v in row["attributes"].items()}), row


@pytest.mark.parametrize(
    ("name", "least"), [("headphones", 60), ("medical", 60), ("thunderbird", 60), ("thunderbird_real", 40)]
)
def test_there_are_enough_rows_half_of_them_kept_for_the_report(name, least):
    found = rows(name)
    assert len(found) >= least
    assert len({row["id"] for row in found}) == len(found)
    assert [row["split"] for row in found] == ["tune" if n % 2 == 0 else "report" for n in range(len(found))]


@pytest.mark.parametrize("name", ["headphones", "medical", "thunderbird"])
def test_every_value_of_a_closed_attribute_is_labelled_in_both_halves(name):
    for attribute in spec(name).attributes.values():
        for split in ("tune", "report"):
            seen = {v for row in rows(name) if row["split"] == split for v in row["attributes"].get(attribute.name, [])}
            assert set(attribute.values) <= seen | {"Other"}, (attribute.name, split, set(attribute.values) - seen)


def test_texts_are_there_except_for_the_real_questions_whose_licence_keeps_them_out():
    for name in ("headphones", "medical", "thunderbird"):
        texts = [row["text"] for row in rows(name)]
        assert all(texts)
        assert len(set(texts)) == len(texts)
    assert not any("text" in row for row in rows("thunderbird_real"))


def test_the_real_questions_are_in_the_shared_data():
    import gzip

    path = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "A_troubleshooting" / "thunderbird"
    if not path.is_dir():
        pytest.skip("the shared Thunderbird data is not beside this checkout")
    with gzip.open(path / "raw_issues.jsonl.gz", "rt", encoding="utf-8") as file:
        known = {json.loads(line)["issue_id"] for line in file}
    assert {row["id"] for row in rows("thunderbird_real")} <= known
