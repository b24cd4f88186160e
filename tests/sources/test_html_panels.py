"""Tabs, accordions and expanders: each panel is a section under its label, whatever hides it."""

from __future__ import annotations

from functools import partial

import pytest

from autokb.chunking.auto.filtered_page import filter_page
from autokb.chunking.chunk_result import MarkedPage
from autokb.core.nouns import Document
from autokb.sources.html import html_page, html_to_markdown
from work_count import python_lines

INTRODUCTION = "Follow the steps for your phone, and keep the lamp near the phone while you do so."
BEFORE = f"# Pair the lamp\n\n{INTRODUCTION}\n\n"
TWO = "## Android\n\nOpen the app.\n\n## iPhone\n\nOpen Home.\n"
STEPS = "## Android\n\n1. Open the app.\n2. Tap Add.\n\n## iPhone\n\n1. Open Home.\n2. Tap the plus.\n"

SHAPES = {
    "roles": (
        """<div><ul role=tablist><li role=tab tabindex=0>Android</li><li role=tab>iPhone</li></ul><div>
        <div role=tabpanel><ol><li>Open the app.<li>Tap Add.</ol></div>
        <div role=tabpanel hidden><ol><li>Open Home.<li>Tap the plus.</ol></div></div></div>""",
        STEPS,
    ),
    "ids": (
        """<div role=tablist><div><div role=tab aria-controls=p1>Android</div></div><div><div role=tab
        aria-controls=p2>iPhone</div></div></div><div><div id=p1 role=tabpanel><p>Open the app.</p></div>
        <div id=p2 role=tabpanel aria-hidden=true style="visibility: hidden"><p>Open Home.</p></div></div>""",
        TWO,
    ),
    "Bootstrap": (
        """<ul class="nav nav-tabs"><li><a href="#a" data-toggle=tab>Android</a></li><li><a href="#b"
        data-toggle=tab>iPhone</a></li></ul><div class=tab-content><div class="tab-pane active" id=a><p>Open the
        app.</p>        </div><div class="tab-pane" id=b><p>Open Home.</p></div></div>""",
        TWO,
    ),
    "buttons": (
        """<div><button class=tablink>Android</button><button class=tablink>iPhone</button>
        <div class=tabcontent style="display:block"><ol><li>Open the app.<li>Tap Add.</ol></div>
        <div class=tabcontent><ol><li>Open Home.<li>Tap the plus.</ol></div></div>""",
        STEPS,
    ),
    "radio buttons with labels between": (
        """<div class=sd-tab-set><input type=radio id=s1><label class=sd-tab-label for=s1>Android</label>
        <div class=sd-tab-content><p>Open the app.</p></div><input type=radio id=s2><label for=s2>iPhone</label>
        <div class=sd-tab-content><p>Open Home.</p></div></div>""",
        TWO,
    ),
    "radio buttons with labels above": (
        """<div class=tabbed-set><input type=radio id=a1><input type=radio id=a2><div class=tabbed-labels>
        <label for=a1>Android</label><label for=a2>iPhone</label></div><div class=tabbed-content>
        <div class=tabbed-block><p>Open the app.</p></div><div class=tabbed-block><p>Open Home.</p></div></div>
        </div>""",
        TWO,
    ),
    "places of a list": (
        """<div id=tabs><ul><li><a href="#tabs-1">Android</a></li><li><a href="#tabs-2">iPhone</a></li></ul>
        <div id=tabs-1>Open the app.</div><div id=tabs-2 style="display: none">Open Home.</div></div>""",
        TWO,
    ),
    "code": (
        """<div role=tablist><div role=tab><button>Bash</button></div><div role=tab><button>Cmd</button></div></div>
        <section role=tabpanel><pre>ls -a</pre></section><section role=tabpanel hidden><pre>dir</pre></section>""",
        "## Bash\n\n```\nls -a\n```\n\n## Cmd\n\n```\ndir\n```\n",
    ),
    "details in a list": (
        """<ul><li><details><summary>Android</summary><p>Open the app.</p></details></li>
        <li><details><summary><h3>iPhone</h3></summary><p>Open Home.</p></details></li></ul>""",
        TWO,
    ),
    "accordion": (
        """<button class=accordion>Android</button><div class=panel style="display:none"><p>Open the app.</p></div>
        <button class=accordion>iPhone</button><div class=panel style="display:none"><p>Open Home.</p></div>""",
        TWO,
    ),
    "accordion whose labels are headings": (
        """<div><h2><button aria-expanded=true aria-controls=c1>Android</button></h2><div id=c1>Open the app.</div>
        </div>
        <div><h2><button aria-expanded=false aria-controls=c2>iPhone</button></h2><div id=c2 hidden>Open Home.</div>
        </div>""",
        TWO,
    ),
    "headings over what hides": (
        """<div><h2>Android</h2><div class=x style="margin:0; display: none"><p>Open the app.</p></div></div>
        <div><h2>iPhone</h2><div class=y style="display:none"><p>Open Home.</p></div></div>""",
        TWO,
    ),
    "spoilers": (
        """<div class=spoiler><div class=spoiler-title>Android</div><div class=spoiler-content hidden>Open the
        app.</div>
        </div><div><div class=spoiler-title>iPhone</div><div class=spoiler-content hidden>Open Home.</div></div>""",
        TWO,
    ),
    "a heading of its own in each panel": (
        """<ul><li>Android<li>iPhone</ul><div><div class=tab-pane><h2>Android</h2><p>Open the app.</p></div>
        <div class=tab-pane style="display:none"><h2>iPhone</h2><p>Open Home.</p></div></div>""",
        TWO,
    ),
}


def page_of(inner: str) -> str:
    return (
        "<!doctype html><title>Lumo help</title><nav><a href=/>Home</a></nav>"
        f"<main><h1>Pair the lamp</h1><p>{INTRODUCTION}</p>{inner}</main><footer>Lumo 2026</footer>"
    )


def kept(html: str) -> str:
    """Return what the filter keeps of a web page, block after block."""
    page = html_page(html)
    outline = filter_page(MarkedPage(Document("p", page.title, page.text), page.marks)).outline
    return "\n\n".join(outline.written(n) for n, keeps in enumerate(outline.kept) if keeps) + "\n"


@pytest.mark.parametrize("shape", SHAPES)
def test_each_panel_is_a_section_under_its_label_and_kept(shape: str) -> None:
    inner, expected = SHAPES[shape]
    assert html_to_markdown(f"<h1>Pair the lamp</h1><p>{INTRODUCTION}</p>{inner}").text == BEFORE + expected
    assert kept(page_of(inner)) == BEFORE + expected.replace("\n2. ", "\n\n2. ")


def test_a_control_destroys_no_table_and_no_page() -> None:
    table = "<table id=t><tr><th>A<th>B<tr><td>a<td><details><summary>More</summary>b</details></table>"
    page = f"<body id=all><button aria-expanded=true aria-controls=t>Show</button>{table}<summary>Odd</summary>"
    found = html_to_markdown(f"{page}<button aria-expanded=true aria-controls=all>All</button></body>").text
    assert found == "Show\n\n| A | B |\n| --- | --- |\n| a | **More** b |\n\n**Odd**\n\nAll\n"


def test_what_follows_the_panels_is_in_none_of_them() -> None:
    panels = "<details><summary>Android</summary><p>Open the app.</p></details>"
    inner = f"{panels}<p>Wait.</p><details><summary>iPhone</summary><p>Open Home.</p></details><p>Done.</p>"
    again = "# Pair the lamp\n\n"
    after = f"## Android\n\nOpen the app.\n\n{again}Wait.\n\n## iPhone\n\nOpen Home.\n\n{again}Done.\n"
    page = html_page(page_of(inner))
    assert page.text == f"[Home](/)\n\n{BEFORE}{after}\nLumo 2026\n"
    assert page.title == "Pair the lamp"
    assert html_page(page_of(f"{panels}<h2>More</h2><p>Ask us.</p>")).text.count("# Pair the lamp") == 1


def test_tabs_inside_of_tabs_and_headings_inside_of_panels_are_below_their_label() -> None:
    inner = """<div role=tablist><button role=tab aria-controls=a>Lamp A</button><button role=tab
    aria-controls=b>Lamp B</button></div><div role=tabpanel id=a><div role=tablist><button role=tab
    aria-controls=c>Android</button><button role=tab aria-controls=d>iPhone</button></div><div role=tabpanel id=c>Open
    the app.</div><div role=tabpanel id=d hidden><h2>First</h2>Open Home.</div><p>It shines.</p></div>
    <div role=tabpanel id=b hidden>Press the key.</div>"""
    assert html_to_markdown(f"<h1>Pair</h1>{inner}").text == (
        "# Pair\n\n## Lamp A\n\n### Android\n\nOpen the app.\n\n### iPhone\n\n#### First\n\nOpen Home.\n\n"
        "## Lamp A\n\nIt shines.\n\n## Lamp B\n\nPress the key.\n"
    )


@pytest.mark.parametrize(
    "hidden",
    [
        "<button aria-expanded=false aria-controls=m>Menu</button>"
        "<div id=m hidden><a href=/a>Shop</a> <a href=/b>All</a></div>",
        "<div class=modal style='display:none'><h3>News</h3><p>Give us your address.</p></div>",
        "<p>Is it well?</p><div hidden style='display:none'><p>One thing alone hides below a question.</p></div>",
        "<form><div class=tab-pane style='display:none'>Thank you for the answer.</div></form>",
        "<div class=quote aria-hidden=true>Said again.</div><div class=quote aria-hidden=true>And again.</div>",
    ],
)
def test_what_hides_and_is_no_panel_stays_out(hidden: str) -> None:
    found = kept(page_of(f"{hidden}<p>Then switch the lamp on.</p>")).replace("Is it well?\n\n", "")
    assert found == BEFORE + "Then switch the lamp on.\n"


def test_a_panel_without_a_label_is_shown_when_its_like_is() -> None:
    inner = """<div class="pane active"><p>Open the app.</p></div>
    <div class=pane style="margin: 0; visibility: hidden"><p>Open Home.</p></div>
    <div class=pane hidden><p>Open Web.</p></div>"""
    found = kept(page_of(inner))
    assert (
        found.replace("#", "")
        == BEFORE.replace("#", "") + "Open the app.\n\n Tab 2\n\nOpen Home.\n\n Tab 3\n\nOpen Web.\n"
    ), "it mixes two"
    named = kept(page_of(inner.replace("class=pane style", "class=pane data-value=iPhone style")))
    assert "# iPhone\n\nOpen Home." in named


@pytest.mark.parametrize(
    "part",
    [
        "<details><summary>a</summary>b</details>",
        "<button aria-controls=x aria-expanded=true>a</button>",
        "<div class=tab-pane hidden>a</div>",
        "<h2>a</h2><div hidden>b</div>",
        "<div class=tab-pane hidden></div>",
        "<div><div class=tab-pane>a</div><div class=tab-pane>b</div></div>",
    ],
)
def test_many_panels_take_linear_time(part: str) -> None:
    few, many = (python_lines(partial(html_to_markdown, f"<p>x</p>{part * count}")) for count in (200, 800))
    assert many < 5 * few
