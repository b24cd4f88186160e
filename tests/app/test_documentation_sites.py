"""Pages of a documentation site, from the folder to the first answer."""

from __future__ import annotations

from typing import Any

import pytest

from autokb.app.support_kb import SupportKB

DOMAIN = """
name: servers
attributes:
  version: {kind: closed, values: [version 1, version 2], synonyms: {version 1: [v1], version 2: [v2]}}
  os: {kind: closed, values: [Windows, macOS, Linux]}
"""
PAGES = {
    "v1/ports.md": "# Set the port\n\nOpen gate.ini and set `port`.\n",
    "v2/ports.md": "# Set the port\n\nRun `gatectl port` and restart the gate.\n",
    "pair.mdx": (
        "---\ntitle: Pair the headset\n---\nimport Tabs from '@theme/Tabs';\n\n1. Switch it on.\n\n   <Tabs>\n"
        "   <TabItem value='w' label='Windows'>\n\n   Press Win+A.\n\n   </TabItem>\n"
        "   <TabItem value='m' label='macOS'>\n\n   Click the Apple menu.\n\n   </TabItem>\n   </Tabs>\n\n"
        "2. Choose Q1 from the list.\n\n:::caution Range\n\nKeep it within one metre.\n\n:::\n\n"
        "## Forget the headset {#forget}\n\n<Tabs>\n<TabItem value='w' label='Windows'>\n\n"
        "Open Settings and remove Q1.\n\n</TabItem>\n<TabItem value='m' label='macOS'>\n\n"
        "Open System Settings and remove Q1.\n\n</TabItem>\n</Tabs>\n"
    ),
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> SupportKB:
    folder = tmp_path_factory.mktemp("site")
    for name, text in PAGES.items():
        page = folder / "docs" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
    (folder / "domain.yaml").write_text(DOMAIN)
    made = SupportKB.create(folder / "kb", str(folder / "domain.yaml"))
    added = made.add([folder / "docs"])
    assert any("audience_from" in note and "v{version}/" in note for note in added.notes)
    made.build()
    return made


def first(answer: Any) -> tuple[str, list[str]]:
    """Return the document and the steps of what an answer shows first."""
    return answer.passages[0].document, list(answer.passages[0].solution.steps)


def test_a_question_about_a_version_is_answered_from_its_folder(kb: SupportKB) -> None:
    for version, wanted in {
        "v2": "Run gatectl port and restart the gate.",
        "v1": "Open gate.ini and set port.",
    }.items():
        answer = kb.ask(f"How do I set the port in {version}?")
        assert first(answer) == (f"{version}/ports.md", [wanted])
        assert {passage.document for passage in answer.passages}.isdisjoint(
            {"v1/ports.md", "v2/ports.md"} - {f"{version}/ports.md"}
        )


def test_a_question_about_a_system_is_answered_from_its_tab(kb: SupportKB) -> None:
    assert first(kb.ask("How do I forget the headset on my Mac?")) == (
        "pair.mdx",
        ["Open System Settings and remove Q1."],
    )
    assert first(kb.ask("forget the headset on Windows")) == ("pair.mdx", ["Open Settings and remove Q1."])


def test_tabs_inside_a_step_leave_only_what_the_reader_has(kb: SupportKB) -> None:
    document, steps = first(kb.ask("How do I pair the headset on my Mac?"))
    assert document == "pair.mdx"
    assert steps == [
        "Switch it on.\n(macOS) Click the Apple menu.",
        "Choose Q1 from the list.",
        "Caution: Range. Keep it within one metre.",
    ]
