"""Tables with spans, code in lines, lists with letters: what a page shows by its shape is in the Markdown."""

from __future__ import annotations

from functools import partial

import pytest

from autokb.sources.html import html_page, html_to_markdown
from work_count import python_lines


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            "<thead><tr><th rowspan=2>Lamp<th colspan=2>Meaning<tr><th>steady<th>blinking</thead>"
            "<tr><td rowspan=2>Red<td>Too hot<td>No water<tr><td>Fuse<td>Tray full<tr><td>Green<td>Ready<td>Heating",
            "| Lamp | Meaning, steady | Meaning, blinking |\n| --- | --- | --- |\n| Red | Too hot | No water |\n"
            "| Red | Fuse | Tray full |\n| Green | Ready | Heating |\n",
        ),
        (
            "<tr><th>A<th>B<th>C<tr><td rowspan=3>1<td>x<td rowspan=2>y<tr><td>x2<tr><td>x3<td>y3<tr><td>2<td>q<td>r",
            "| A | B | C |\n| --- | --- | --- |\n| 1 | x | y |\n| 1 | x2 | y |\n| 1 | x3 | y3 |\n| 2 | q | r |\n",
        ),
        (
            "<tr><td rowspan=2>Lamp<td colspan=2>Meaning<tr><td>steady<td>blinking<tr><td>Red<td>a<td>b",
            "| Lamp | Meaning, steady | Meaning, blinking |\n| --- | --- | --- |\n| Red | a | b |\n",
        ),
        (
            "<tr><th>Lamp<th colspan=2>Meaning<tr><th><th>steady<th>blinking<tr><td>Red<td>a<td>b",
            "| Lamp | Meaning, steady | Meaning, blinking |\n| --- | --- | --- |\n| Red | a | b |\n",
        ),
        (
            "<thead><tr><th>Power<th>Weight<tr><th>W<th>kg</thead><tr><td>1<td>2",
            "| Power, W | Weight, kg |\n| --- | --- |\n| 1 | 2 |\n",
        ),
        (
            "<tr><th colspan=2>Lamps<tr><th>Lamp<th>Meaning<tr><td>red<td>hot",
            "*Lamps*\n\n| Lamp | Meaning |\n| --- | --- |\n| red | hot |\n",
        ),
        ("<tr><th>A<th>B<tr><td>a<td rowspan=99>b<tr><td>c", "| A | B |\n| --- | --- |\n| a | b |\n| c | b |\n"),
        ("<tr><th>A<th>B<tr><td colspan=2>all<tr><td>c<td>d", "| A | B |\n| --- | --- |\n| all | |\n| c | d |\n"),
    ],
)
def test_each_row_of_a_table_has_the_cells_that_span_it(rows: str, expected: str) -> None:
    assert html_to_markdown(f"<table>{rows}</table>").text == expected
    assert html_page(f"<table>{rows}</table>").text == expected


@pytest.mark.parametrize(
    "code",
    [
        "<pre><code><span style='display:block'>a:</span><span style='display: block'>  b: 1</span></code></pre>",
        "<pre><span class=line>a:</span><span class=line>  b: 1</span></pre>",
        "<pre><code>a:</code><code>  b: 1</code></pre>",
        "<pre><code>a:\n  b: 1</code></pre>",
        "<pre><code><span class=line>a:</span>\n<span class=line>  b: 1</span></code></pre>",
        "<div style='white-space:pre'><code>a:\n  b: 1</code></div>",
        "<p><code>a:<br>  b: 1</code></p>",
        "<table><tr><td class=linenos><pre>1\n2\n</pre></td><td><pre>a:\n  b: 1</pre></td></tr></table>",
        "<table><tr><td class=gutter><pre>1<br>2</pre></td><td><pre>a:<br>  b: 1</pre></td></tr></table>",
        "<pre>1\n2</pre><pre>a:\n  b: 1</pre>",
        "<pre><code><span class=ln>1</span><span>a:\n</span><span class=ln>2</span><span>  b: 1\n</span></code></pre>",
    ],
)
def test_code_has_its_lines_and_no_numbers_of_them(code: str) -> None:
    assert html_to_markdown(f"<h1>T</h1>{code}").text == "# T\n\n```\na:\n  b: 1\n```\n"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<pre>12</pre><p>x</p>", "```\n12\n```\n\nx\n"),
        ("<pre>---</pre><pre>x</pre>", "```\n---\n```\n\n```\nx\n```\n"),
        ("<pre>404\n200</pre><pre>x</pre>", "```\n404\n200\n```\n\n```\nx\n```\n"),
        ("<pre><span class=k>if</span> <span class=p>(</span><span class=p>)</span></pre>", "```\nif ()\n```\n"),
        ("<p>See <code>x\ny</code> here</p>", "See `x y` here\n"),
    ],
)
def test_other_code_stays(html: str, expected: str) -> None:
    assert html_to_markdown(html).text == expected


def test_lists_keep_their_letters() -> None:
    lists = "<ol type=a><li>one<li><p>two</p><ol type=i start=4><li>deep</ol></ol><p>-</p>"
    styled = "<ol style='list-style-type: upper-alpha'><li><b>x</b></ol><p>-</p><ol class=lowerroman start=3><li>y</ol>"
    assert html_to_markdown(f"{lists}{styled}<p>-</p><ol type=1><li>z</ol>").text == (
        "- a) one\n\n- b) two\n\n  - iv) deep\n\n\\-\n\n- A) **x**\n\n\\-\n\n- iii) y\n\n\\-\n\n1. z\n"
    )


@pytest.mark.parametrize(
    ("head", "link"),
    [
        ("<base href='https://lumo.example/en/k4/'>", "https://lumo.example/en/k4/fw.bin"),
        ("<base href='/en/'><link rel=canonical href='https://lumo.example/a/b'>", "https://lumo.example/en/fw.bin"),
        ("<base target=_top>", "fw.bin"),
    ],
)
def test_links_are_resolved_by_the_base_of_a_page(head: str, link: str) -> None:
    body = "<p><a href='fw.bin'>the file</a>, <a href='#k4'>below</a>, <a href='http://[x'>none</a></p>"
    text = html_page(f"<html><head>{head}</head><body>{body}</body></html>").text
    assert text == f"[the file]({link}), below, [none](http://[x)\n"


def test_raised_numbers_are_no_digits_of_the_number_before() -> None:
    page = (
        "<p>10<sup>-3</sup> m<sup>2</sup>, 2<sup>n</sup>, the 2<sup>nd</sup>, model 1<sup><a href='#f'>2</a></sup></p>"
    )
    assert html_to_markdown(page).text == "10\u207b\u00b3 m\u00b2, 2\u207f, the 2nd, model 1\u00b2\n"


def test_keys_and_struck_words_stay_marked() -> None:
    page = "<p>Press <kbd>Ctrl</kbd>+<kbd>C</kbd>, it costs <del>99</del> <ins>89</ins>, <s>old</s></p>"
    assert html_to_markdown(page).text == "Press `Ctrl`+`C`, it costs ~~99~~ 89, ~~old~~\n"


def test_a_large_drawing_is_left_out_before_anything_is_counted() -> None:
    drawing = "<svg><title>No</title>" + "<g>" * 600 + "<path d='M1 1'/>" * 1_000 + "</g>" * 600 + "</svg>"
    page = f"<html><head><title>Reset</title></head><body><p>Hold both keys.</p>{drawing}</body></html>"
    assert html_page(page).text == "Hold both keys.\n"
    assert html_page(page).title == "Reset"
    few, many = (python_lines(partial(html_page, page.replace("<path", "<path/><path" * n))) for n in (1, 50))
    assert few == many


def test_a_page_of_new_tags_alone_is_read() -> None:
    assert html_page("<title>T</title><main><h1>Pair</h1><p>Hold.</p></main>").text == "# Pair\n\nHold.\n"


@pytest.mark.parametrize("row", ["<tr><td rowspan=2>a<td>b", "<tr><td colspan=999>a<td>b", "<tr><td rowspan=999>a"])
def test_many_spans_take_linear_time(row: str) -> None:
    few, many = (python_lines(partial(html_to_markdown, f"<table>{row * n}</table>")) for n in (200, 800))
    assert many < 6 * few
