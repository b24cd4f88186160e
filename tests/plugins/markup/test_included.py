"""Files that AsciiDoc and reStructuredText name to be read in their place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from autokb.sources import outside_readers, read_documents


def read(folder: Path, files: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts of the documents of a folder with these files, and what is said of them."""
    for name, text in files.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = read_documents([folder / "docs"])
    return {r.item.id: r.item.text.strip() for r in found.records}, {s.path: s.reason for s in found.skipped}


def test_partials_and_examples_of_antora_are_read_in_the_pages_and_are_none_themselves(tmp_path: Path) -> None:
    texts, said = read(
        tmp_path,
        {
            "modules/admin/pages/deep/a.adoc": (
                "= Back up\n:kind: note\n\ninclude::partial$warn/{kind}.adoc[]\n\n[source,bash]\n----\n"
                "include::example$run.sh[tag=copy]\n----\n\ninclude::other:partial$tail.adoc[leveloffset=+1]\n"
            ),
            "modules/admin/pages/index.adoc": "= Start\n\nRead on.\n",
            "modules/admin/partials/warn/note.adoc": "Stop it first.\n\ninclude::more.adoc[lines=2..3]\n",
            "modules/admin/partials/warn/more.adoc": "one\ntwo\nthree\nfour\n",
            "modules/admin/examples/run.sh": "#!/bin/sh\n# tag::copy[]\ncp -r data /backup\n# end::copy[]\nexit 0\n",
            "modules/other/partials/tail.adoc": "= After it\n\nStart it.\n",
            "modules/admin/nav.adoc": "* xref:index.adoc[Start]\n",
        },
    )
    assert texts["modules/admin/pages/deep/a.adoc"] == (
        "# Back up\n\nStop it first.\n\ntwo three\n\n```bash\ncp -r data /backup\n```\n\n## After it\n\nStart it."
    )
    assert {"modules/admin/partials/warn/note.adoc", "modules/admin/nav.adoc"}.isdisjoint(texts)
    assert "is read in each of them" in said["modules/admin/partials/warn/more.adoc"]


COMPONENT = """
name: pump
title: Pump Manual
version: '10'
display_version: 10 LTS
nav: [modules/ROOT/nav.adoc]
asciidoc:
  attributes:
    maker: Corvo
    port: 8080@
    parts: >-
      filter and
      seal
    deep: "{maker} {port}"
    empty: ''
    gone: false
    off: ~
    a name: no
    list: [1, 2]
"""


@pytest.mark.parametrize(
    ("header", "words", "expected"),
    [
        ("", "{maker} on {port}: {parts}, {deep}{empty}.", "Corvo on 8080: filter and seal, Corvo 8080."),
        (
            "",
            "{page-component-title} {page-component-display-version}, {page-version} of {page-component-name}.",
            "Pump Manual 10 LTS, 10 of pump.",
        ),
        (":port: 9090\n:maker: Other\n", "{maker} on {port}.", "Corvo on 9090."),
        (":!maker:\n:gone: back\n", "{maker} is {gone}.", "Corvo is back."),
        ("", "include::partial${maker}.adoc[]", "It is made by Corvo."),
    ],
)
def test_the_attributes_of_a_component_of_antora_are_those_of_its_pages(
    tmp_path: Path, header: str, words: str, expected: str
) -> None:
    texts, said = read(
        tmp_path,
        {
            "pump/antora.yml": COMPONENT,
            "pump/modules/ROOT/partials/Corvo.adoc": "It is made by {maker}.\n",
            "pump/modules/ROOT/pages/deep/a.adoc": f"= A\n{header}\n{words}\n",
            "pump/modules/ROOT/pages/code.adoc": "= B\n\n----\n:maker: you\n----\n",
            "lamp/antora.yml": "name: lamp\nasciidoc:\n  attributes:\n    maker: Lux\n",
            "lamp/modules/ROOT/pages/a.adoc": "= C\n\nBy {maker}, not on {port}.\n",
        },
    )
    assert texts["pump/modules/ROOT/pages/deep/a.adoc"] == f"# A\n\n{expected}"
    assert texts["pump/modules/ROOT/pages/code.adoc"] == "# B\n\n```\n:maker: you\n```"
    assert texts["lamp/modules/ROOT/pages/a.adoc"] == "# C\n\nBy Lux, not on port."
    assert "1 attribute without a value" in said["lamp/modules/ROOT/pages/a.adoc, in part"]


@pytest.mark.parametrize(
    "component", ["", "- a list", "asciidoc: words", "asciidoc: {attributes: [a]}", "a: [", "x: &a [*a]"]
)
def test_a_component_of_antora_that_cannot_be_read_costs_no_page(tmp_path: Path, component: str) -> None:
    texts, said = read(tmp_path, {"antora.yml": component, "modules/ROOT/pages/a.adoc": "= A\n\nBy {maker}.\n"})
    assert texts["modules/ROOT/pages/a.adoc"] == "# A\n\nBy maker."
    assert "1 attribute without a value" in said["modules/ROOT/pages/a.adoc, in part"]


def test_sphinx_includes_are_read_where_they_stand_with_the_lines_that_are_asked_for(tmp_path: Path) -> None:
    texts, said = read(
        tmp_path,
        {
            "guides/a.rst": (
                "Title\n=====\n\n.. include:: note.rst\n\n.. literalinclude:: run.sh\n   :language: bash\n"
                "   :lines: 2-3\n\n"
                "- One\n\n  .. include:: /guides/note.rst\n     :start-after: MARK\n\nEnd.\n"
            ),
            "guides/note.rst": "First part.\n\n.. MARK\n\nSecond part.\n",
            "guides/run.sh": "#!/bin/sh\necho one\necho two\necho three\n",
        },
    )
    assert texts["guides/a.rst"] == (
        "# Title\n\nFirst part.\n\nSecond part.\n\n```bash\necho one\necho two\n```\n\n- One\n\n  Second part.\n\nEnd."
    )
    assert not any("in part" in path for path in said)


@pytest.mark.parametrize("name", ["a.adoc", "a.rst"])
@pytest.mark.parametrize(
    "target", ["../secret.txt", "/etc/hostname", ".env", ".git/config", "none.txt", "deep/{x}.adoc"]
)
def test_what_was_not_added_is_not_read_and_is_named(tmp_path: Path, name: str, target: str) -> None:
    (tmp_path / "secret.txt").write_text("Secret.")
    hidden = {".env": "Secret.", ".git/config": "Secret."}
    line = f"include::{target}[]" if name.endswith(".adoc") else f".. include:: {target}"
    texts, said = read(tmp_path, {name: f"Seen.\n\n{line}\n\nEnd.\n", **hidden})
    assert texts[name].split() == ["Seen.", "End."]
    assert f"include {target}" in said[f"{name}, in part"]


@pytest.mark.parametrize(("name", "line"), [("a.adoc", "include::a.adoc[]"), ("a.rst", ".. include:: a.rst")])
def test_a_file_that_names_itself_ends(tmp_path: Path, name: str, line: str) -> None:
    texts, said = read(tmp_path, {name: f"Again.\n\n{line}\n"})
    assert 2 <= texts[name].count("Again.") <= 6
    assert name in said[f"{name}, in part"]


@pytest.mark.parametrize("before", ["Write::", ".. code-block:: rst\n   :caption: It", ".. parsed-literal::"])
def test_an_include_that_is_shown_as_code_is_not_read(tmp_path: Path, before: str) -> None:
    files = {
        "a.rst": f"A\n=\n\n{before}\n\n   .. include:: note.txt\n\n.. include:: note.txt\n",
        "note.txt": "Wipe it.\n",
    }
    texts, _ = read(tmp_path, files)
    assert ".. include:: note.txt" in texts["a.rst"] and texts["a.rst"].count("Wipe it.") == 1


@pytest.mark.parametrize(("name", "line"), [("a.adoc", "include::a.adoc[]"), ("a.rst", ".. include:: a.rst\n")])
def test_a_file_is_read_once_however_often_it_is_included(
    tmp_path: Path, name: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    monkeypatch.setattr(
        outside_readers, "text_beside", lambda _file, asked, **named: reads.append(asked) or f"{line}\n" * 300
    )
    read(tmp_path, {name: f"{line}\n" * 300})
    assert reads.count(name) == 1


def test_many_large_files_in_each_other_are_no_bomb(tmp_path: Path) -> None:
    files = {f"p{n}.adoc": f"{'Text. ' * 20_000}\n\n" + f"include::p{n + 1}.adoc[]\n\n" * 30 for n in range(5)}
    texts, said = read(tmp_path, files)
    assert len(texts["p0.adoc"]) < 4_000_000 and "include p" in said["p0.adoc, in part"]
