"""A rule whose pattern takes too long: the build goes on, names it once, and shows nothing that it could not check."""

from __future__ import annotations

from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core import regex_timeout
from autokb.core.errors import StageFailedError
from model_workspace import DOMAIN, add_sources, write_sources

SLOW = r"(?:\w|\w\w|\s|\W)+[#%]{2}$"
RULE = f"  - {{id: no-marks, text: Write no marks., patterns: ['{SLOW}']}}\n"


def test_a_build_names_a_slow_pattern_once_and_shows_what_it_could_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regex_timeout, "SEARCH_SECONDS", 0.1)
    write_sources(tmp_path)
    (tmp_path / "domain.yaml").write_text(DOMAIN + RULE, encoding="utf-8")
    kb = SupportKB.create(tmp_path / "kb", str(tmp_path / "domain.yaml"))
    add_sources(kb, tmp_path)
    with pytest.raises(StageFailedError, match="no-marks"):  # so that no version without a solution is published
        kb.build()
    settings = tmp_path / "kb" / "settings.yaml"
    settings.write_text(settings.read_text(encoding="utf-8") + "failure_tolerance: 1\n", encoding="utf-8")
    built = SupportKB.open(tmp_path / "kb").build()
    (failure,) = built.failures
    assert (failure.stage, failure.item) == ("rules", "no-marks")
    assert repr(SLOW) in failure.reason and "Nobody could check solution" in failure.reason
    assert int(built.stages["rules"].failed) > 5 and " more by it, so they are not shown." in failure.reason
    assert built.solutions == 0  # a solution of one short line might be checked; these texts are longer

    # The same pattern written so that it is quick: all is checked in the next build.
    domain = tmp_path / "kb" / "domain.yaml"
    domain.write_text(DOMAIN + RULE.replace(SLOW, "[#%]{2}$"), encoding="utf-8")
    again = SupportKB.open(tmp_path / "kb").build()
    assert again.failures == () and again.solutions > 0
