"""reStructuredText with the directives and roles of Sphinx: what readers see, and no markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from autokb.sources import read_documents
from autokb.testing import FormatContract


def read(folder: Path, text: str, name: str = "a.rst") -> tuple[str, str, list[str]]:
    """Return title, text and what is said of a file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    found = read_documents([path])
    title, markdown = ((one := found.records[0].item).title, one.text.strip()) if found.records else ("", "")
    return title, markdown, [one.reason for one in found.skipped]


def markdown(folder: Path, text: str) -> str:
    return read(folder, text)[1]


def test_headings_lists_tables_and_code(tmp_path: Path) -> None:
    text = (
        "Pairing\n=======\n\n1. Open.\n\n   - wide\n\n2. Close ``it``.\n\nModels\n------\n\n===== =====\n"
        "Model Hours\n===== =====\nA     8\n===== =====\n\n.. code-block:: bash\n   :caption: x\n\n"
        "   pair --all\n\nLike this::\n\n   * raw *\n"
    )
    title, found, said = read(tmp_path, text)
    assert (title, said) == ("Pairing", [])
    assert found == (
        "# Pairing\n\n1. Open.\n\n   - wide\n\n2. Close `it`.\n\n## Models\n\n| Model | Hours |\n| --- | --- |\n"
        "| A | 8 |\n\n```bash\npair --all\n```\n\nLike this:\n\n```\n* raw *\n```"
    )


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (".. note:: Keep it open.", "**Note:** Keep it open."),
        (".. warning::\n\n   - hot\n   - wet", "**Warning:**\n\n- hot\n\n- wet"),
        (".. admonition:: Before you start\n   :class: tip\n\n   Charge it.", "**Tip: Before you start.** Charge it."),
        (".. admonition:: Hot water!\n\n   Stay away.", "**Note: Hot water!** Stay away."),
        (".. versionadded:: 2.0\n   It can pair.", "**New in version 2.0:** It can pair."),
        (".. deprecated:: 3.1 Use the app.", "**Deprecated since version 3.1:** Use the app."),
        (".. seealso:: The lid", "**See also:** The lid"),
    ],
)
def test_notes_begin_with_their_kind(tmp_path: Path, written: str, read_as: str) -> None:
    assert markdown(tmp_path, f"{written}\n") == read_as


@pytest.mark.parametrize(
    "tabs",
    [
        ".. tabs::\n\n   .. tab:: Windows\n\n      Open Settings.\n\n   .. tab:: Mac\n\n      Open the menu.\n",
        ".. tab-set::\n\n   .. tab-item:: Windows\n      :sync: w\n\n      Open Settings.\n\n   "
        ".. tab-item:: Mac\n\n      Open the menu.\n",
        ".. tabs::\n\n   .. group-tab:: Windows\n\n      Open Settings.\n\n   "
        ".. group-tab:: Mac\n\n      Open the menu.\n",
        ".. dropdown:: Windows\n\n   Open Settings.\n\n.. collapse:: Mac\n\n   Open the menu.\n",
    ],
)
def test_tabs_are_sections_under_their_label(tmp_path: Path, tabs: str) -> None:
    text = f"Guide\n=====\n\nPair\n----\n\n{tabs}\nThen wait.\n\nNext\n----\n\nGo.\n"
    assert markdown(tmp_path, text) == (
        "# Guide\n\n## Pair\n\n### Windows\n\nOpen Settings.\n\n### Mac\n\nOpen the menu.\n\n## Pair\n\nThen wait.\n\n"
        "## Next\n\nGo."
    )


def test_tabs_in_a_list_stay_in_their_step(tmp_path: Path) -> None:
    text = "1. Go.\n\n   .. tabs::\n\n      .. tab:: Mac\n\n         Open it.\n\n2. Wait.\n"
    assert markdown(tmp_path, text) == "1. Go.\n\n   {for Mac}\n\n   Open it.\n\n   {/for}\n\n2. Wait."


def test_roles_are_read_as_what_they_show(tmp_path: Path) -> None:
    text = (
        ":orphan:\n\nGuide\n=====\n\nSee :ref:`reset`, :ref:`so <reset>`, :doc:`/guides/quick-start`, :doc:`this <a>`. "
        "Press :kbd:`Ctrl+C`, then :menuselection:`File --> Open` and :guilabel:`&Save`. "
        "Call :py:func:`~pkg.run` or :option:`--all`.\n"
        "`Here <https://example.com>`_ is |release|.\n\n.. _reset:\n\nReset it\n--------\n\nHold.\n"
    )
    _, found, said = read(tmp_path, text)
    assert found == (
        "# Guide\n\nSee Reset it, so, quick start, this. Press `Ctrl+C`, then **File > Open** and **Save**. "
        "Call `run` or `--all`. [Here](https://example.com) is |release|.\n\n## Reset it\n\nHold."
    )
    assert said == ["is read without: 1 sign of markup that leads nowhere."]


def test_a_table_of_contents_names_its_pages_in_their_order(tmp_path: Path) -> None:
    pages = "Start here <guides/start>\n   guides/first-steps\n   z\n   a\n"
    text = f".. toctree::\n   :maxdepth: 2\n   :caption: Guides\n\n   {pages}"
    assert markdown(tmp_path, text) == "**Guides**\n\n- Start here\n\n- first steps\n\n- z\n\n- a"


def test_a_file_that_is_added_alone_reads_no_other_and_names_them(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("a secret", encoding="utf-8")
    text = (
        "Seen.\n\n.. include:: secret.txt\n\n.. literalinclude:: secret.txt\n\n.. csv-table::\n   :file: secret.txt\n\n"
        ".. raw:: html\n   :file: secret.txt\n\n.. raw:: html\n\n   <script>x</script>\n\n"
        ".. image:: a.png\n   :alt: The lid\n\n.. automodule:: pkg\n"
    )
    _, found, said = read(tmp_path, text)
    assert "secret" not in found and "script" not in found and found.startswith("Seen.")
    assert "The lid" in found
    assert said == [
        "is read without: include secret.txt, literalinclude secret.txt, raw html, automodule pkg, 1 picture."
    ]


def test_what_docutils_refuses_keeps_its_text(tmp_path: Path) -> None:
    text = (
        ".. list-table::\n\n   * - a\n     - b\n   * - c\n\n"
        ".. unknown-thing:: Label\n   :x: y\n\n   Its text.\n\nEnd.\n"
    )
    _, found, said = read(tmp_path, text)
    assert [word for word in found.split() if word not in "-*"] == ["a", "b", "c", "**Label**", "Its", "text.", "End."]
    assert said == ["is read without: 1 sign of markup that leads nowhere."]


@pytest.mark.slow
def test_hostile_texts_are_read_or_refused_within_the_limits(tmp_path: Path) -> None:
    signs = 100_000
    for sign in ("*", "`", "|", "_", ".. ", "- ", ":a:`", "[", "<", "=", "+"):
        _, found, said = read(tmp_path, sign * signs)
        assert not found and said[0].startswith(("has a line of more than", "holds no text")), sign
    for sign in ("* ", "`a", "|a", ".. x::", "=", "a_ "):
        _, found, said = read(tmp_path, f"{sign}\n" * 5_000)
        assert found or said, sign
    deep = "".join(f"{' ' * n}- a\n\n" for n in range(0, 1_000, 2))
    _, found, said = read(tmp_path, deep)
    assert said and said[0].startswith("is nested too deeply")
    _, found, said = read(tmp_path, "%PDF-1.7\0\0")
    assert not found and said[0].startswith("is binary")


class TestRst(FormatContract):
    suffix = ".rst"
    examples = (b"Title\n=====\n\nSome words.\n",)
