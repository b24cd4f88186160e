"""Labels of attribute values are compared in one spelling, whoever wrote out what another value leaves open."""

from __future__ import annotations

import yaml
from benchmarks.attributes import comparable

from autokb.core.domain import read_domain
from autokb.domains import domain_text

MAIL = read_domain(yaml.safe_load(domain_text("thunderbird")))


def test_what_another_value_leaves_open_is_no_label() -> None:
    written_out = {"app": ["Desktop"], "os": ["Windows", "macOS", "Linux"]}
    assert comparable(written_out, MAIL) == {"app": ["Desktop"]}
    assert comparable({"app": ["Desktop"], "os": ["Linux"]}, MAIL) == {"app": ["Desktop"], "os": ["Linux"]}
    assert comparable({"os": ["Linux", "macOS"]}, MAIL) == {"os": ["Linux", "macOS"]}


def test_every_value_of_a_closed_attribute_is_any() -> None:
    assert comparable({"app": ["Android", "Desktop"]}, MAIL) == {"app": ["Any"]}
