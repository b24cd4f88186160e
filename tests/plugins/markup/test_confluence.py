"""Pages of Confluence: macros as what they show; of the export of a space the current pages."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from autokb.sources import read_documents, read_issues


def macro(name: str, inside: str, **about: str) -> str:
    parameters = "".join(f'<ac:parameter ac:name="{key}">{value}</ac:parameter>' for key, value in about.items())
    return f'<ac:structured-macro ac:name="{name}">{parameters}{inside}</ac:structured-macro>'


def rich(text: str) -> str:
    return f"<ac:rich-text-body>{text}</ac:rich-text-body>"


def read(path: Path, data: str | bytes) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return ids, titles and texts, and what is said of a file."""
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    found = read_documents([path])
    return [(x.item.id, x.item.title, x.item.text.strip()) for x in found.records], [x.reason for x in found.skipped]


def markdown(folder: Path, page: str) -> str:
    ((_, _, text),), _ = read(folder / "a.xml", f"{page}<ac:placeholder>x</ac:placeholder>")
    return text


def space(*objects: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(
            "entities.xml", f'<?xml version="1.0"?><hibernate-generic>{"".join(objects)}</hibernate-generic>'
        )
    return file.getvalue()


def an_object(kind: str, number: int, **values: str) -> str:
    inside = "".join(f'<property name="{name}">{value}</property>' for name, value in values.items())
    return f'<object class="{kind}"><id name="id">{number}</id>{inside}</object>'


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (macro("warning", rich("<p>It is hot.</p>"), title="Hot"), "**Warning: Hot.** It is hot."),
        (macro("info", rich("<ul><li>a</li></ul>")), "**Info:**\n\n- a"),
        (macro("panel", rich("<p>It is hot.</p>"), title="Read"), "**Read**\n\nIt is hot."),
        (macro("status", "", title="DONE"), "DONE"),
        (
            macro("code", "<ac:plain-text-body><![CDATA[pair <all> && x]]></ac:plain-text-body>", language="bash"),
            "```bash\npair <all> && x\n```",
        ),
        (macro("excerpt", rich("<p>Wipe&nbsp;it, &Uuml;be.</p>")), "Wipe it, Übe."),
        ('<p>See <ac:link><ri:page ri:content-title="Reset" /></ac:link>.</p>', "See Reset."),
        (
            '<p>See <ac:link><ri:page ri:content-title="R"/><ac:plain-text-link-body><![CDATA[a & b]]>'
            "</ac:plain-text-link-body></ac:link>.</p>",
            "See a & b.",
        ),
        (
            "<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status>"
            "<ac:task-body>Do it</ac:task-body></ac:task></ac:task-list>",
            "- Do it",
        ),
        (
            '<ac:layout><ac:layout-section ac:type="single"><ac:layout-cell><p>In.</p></ac:layout-cell>'
            "</ac:layout-section></ac:layout>",
            "In.",
        ),
    ],
)
def test_macros_are_read_as_what_they_show(tmp_path: Path, written: str, read_as: str) -> None:
    assert markdown(tmp_path, written).replace("\xa0", " ") == read_as


def test_what_unfolds_is_a_section_under_its_title(tmp_path: Path) -> None:
    page = (
        f"<h1>Guide</h1><h2>Pair</h2>{macro('expand', rich('<p>Open Settings.</p>'), title='Windows')}"
        f"{macro('expand', rich('<p>Open the menu.</p>'), title='Mac')}<p>Then wait.</p><h2>Next</h2><p>Go.</p>"
    )
    assert markdown(tmp_path, page) == (
        "# Guide\n\n## Pair\n\n### Windows\n\nOpen Settings.\n\n### Mac\n\nOpen the menu.\n\n## Pair\n\nThen wait.\n\n"
        "## Next\n\nGo."
    )


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    macros = macro("children", "") + macro("drawio", "") + macro("toc", "")
    page = f"<p>Seen.</p>{macros}<ac:image><ri:url ri:value='x'/></ac:image>"
    found, said = read(tmp_path / "a.xml", page)
    assert [text for _, _, text in found] == ["Seen."]
    assert said == ["is read without: 1 macro 'children', 1 macro 'drawio', 1 picture."]


def test_the_current_pages_of_a_space_are_documents(tmp_path: Path) -> None:
    body = (
        "<![CDATA[<p>Wipe it.</p>"
        + macro("noformat", "<ac:plain-text-body><![CDATA[x]] ></ac:plain-text-body>")
        + "]]>"
    )
    data = space(
        an_object("BodyContent", 90, body=body, content="<id>1</id>"),
        an_object("BodyContent", 91, body="<![CDATA[<p>Old.</p>]]>", content="<id>2</id>"),
        an_object("BodyContent", 92, body="<![CDATA[<p>News.</p>]]>", content="<id>3</id>"),
        an_object("Page", 1, title="Care", contentStatus="current"),
        an_object("Page", 2, title="Care", originalVersion="<id>1</id>"),
        an_object("BlogPost", 3, title="We move"),
        an_object("Page", 4, title="Gone", contentStatus="deleted"),
        an_object("Page", 5, title="Empty"),
        an_object("Comment", 6) * 2,
        an_object("Attachment", 7),
    )
    found, said = read(tmp_path / "space.zip", data)
    assert found == [
        ("confluence-1", "Care", "# Care\n\nWipe it.\n\n```\nx\n```"),
        ("confluence-3", "We move", "# We move\n\nNews."),
    ]
    assert said == ["is read without: 2 old versions of pages, 2 comments, 1 attachment, 1 page without a text."]


def test_other_archives_and_other_xml_are_refused(tmp_path: Path) -> None:
    entities = (
        '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><hibernate-generic>&b;</hibernate-generic>'
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("entities.xml", b"<a>" * 4_000_000)
    bad = {
        "a.xml": ("<note><to>Ann</to></note>", "is no page of Confluence"),
        "b.xml": ("<hibernate-generic datetime='x'>", "is a part of an export of a space"),
        "c.zip": (b"PK\x03\x04 no", "is no whole ZIP file"),
        "d.zip": (space()[:60], "is no whole ZIP file"),
        "e.zip": (space(entities.replace("<hibernate-generic>", "")), "is no whole export"),
        "f.zip": (file.getvalue(), "is nested too deeply or unpacks to too much"),
        "g.xml": ("<ac:macro>" * 100_000, "holds no text"),
    }
    for name, (data, reason) in bad.items():
        found, said = read(tmp_path / name, data)
        assert not found and said[0].startswith(reason), (name, said)
    (tmp_path / "h.zip").write_bytes(space())
    assert read_issues([tmp_path / "h.zip"]).skipped[0].reason.startswith("is an archive, which holds no issues")
