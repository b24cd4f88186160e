"""A solution's text that several nodes have is judged once, and whatever shares a failed judgement is named."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

from answered_files import answer_files

from autokb.app import SupportKB
from autokb.core.errors import StoppedOnPurposeError
from autokb.pipeline.build_report import BuildReport
from autokb.pipeline.embedding import FreeEncoder, open_free_embedder, read_embedder_name
from autokb.pipeline.stages import Stages, Work
from model_workspace import PRICES, made, reopened
from scripted_model import ScriptedModel

NOWHERE = "http://127.0.0.1:1/v1"  # batch files send nothing
SOLUTION = re.compile(r'<solution number="\d+">\n(.*?)</solution>', re.DOTALL)
MOST_ROUNDS = 20


def judged(kb: SupportKB, folder: Path) -> tuple[list[str], BuildReport]:
    """Build by files; returns the solutions as the requests to check_rules show them."""
    found: list[str] = []
    for part in range(MOST_ROUNDS):
        try:
            return found, kb.build(batch_files=folder)
        except StoppedOnPurposeError:
            for path in folder.glob("requests*.jsonl"):
                for line in map(json.loads, path.read_text().splitlines()):
                    if "check_rules" in line["custom_id"]:
                        found += SOLUTION.findall(line["body"]["messages"][1]["content"])
            answer_files(folder, ScriptedModel(), random.Random(1), part, share=1.0)
    raise AssertionError("the build does not end")


def test_each_distinct_text_is_judged_once(tmp_path: Path) -> None:
    kb = made(tmp_path, NOWHERE)
    texts, built = judged(kb, tmp_path / "batch")
    assert 0 < len(set(texts)) == len(texts) < built.solutions + built.withheld
    assert not any("<issue>" in text for text in texts)


def test_paper_mode_shows_the_issue_of_each_node(tmp_path: Path) -> None:
    made(tmp_path, NOWHERE)
    settings = PRICES + "tasks: {check_rules: openai:stub}\ncontext: document\n"
    kb = reopened(tmp_path, NOWHERE, settings, "paper")
    texts, _ = judged(kb, tmp_path / "batch")
    assert texts and all("<issue>" in text for text in texts)


def test_a_failure_names_all_that_share_it(tmp_path: Path) -> None:
    kb = made(tmp_path, NOWHERE)
    with kb.workspace.file() as file:
        stages = Stages(file, FreeEncoder(open_free_embedder(read_embedder_name("packaged")), file))

        def work(_position: int) -> str:
            raise ValueError("odd")

        odd = Work(work, int)
        assert stages.remember("rules", ["a", "b", "a"], ["s1", "s2", "s3"], odd, lambda _n, t: t) == [None] * 3
        assert [failure.item for failure in stages.log.failures] == ["s1", "s2", "s3"]
        assert stages.log.reports()["rules"].failed == 3
