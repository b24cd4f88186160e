"""Codes and part numbers are told from names, dates and versions."""

from __future__ import annotations

import pytest

from autokb.retrieval.codes import codes_in, shape_of


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("ERROR nordwind.net NW-5003 gateway", ["NW-5003"]),
        ("nw-4012, then 0x80070643.", ["nw-4012", "0x80070643"]),
        ("part 55-1020-B3", ["55-1020-B3"]),
        ("shows E18 or E-17/E-20", ["E18", "E-17", "E-20"]),
        ("covid-19 since 2026-11-01 on Windows 11, 24-hour, MP3, my M2", []),
        ('File "/opt/nw/mod12.py", line 84, in call_12', []),
    ],
)
def test_codes_are_found(text: str, codes: list[str]) -> None:
    assert [code.group() for code in codes_in(text)] == codes


def test_neighbours_have_one_shape() -> None:
    assert shape_of("NW-5004") == shape_of("nw-5003") != shape_of("HP-5003")
    assert shape_of("0x80070643") == shape_of("0x8007FFFF")
