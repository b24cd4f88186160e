"""Mails as programs write them, in English and German: what their writers say is what is left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from autokb.text.mail_parts import without_mail_parts

MAILS = yaml.safe_load(Path(__file__).with_name("mail_shapes.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("one", MAILS, ids=lambda one: one["name"])
def test_what_its_writer_says_is_left_of_a_mail(one: dict[str, Any]) -> None:
    assert without_mail_parts(one["mail"])[0].split() == one.get("said", one["mail"]).split()
