"""Markdown of documentation sites: what a generator reads becomes what readers see, and other text stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from autokb.sources import read_documents
from autokb.sources.documents import read_fetched
from autokb.sources.site_markup import site_page


def read(text: str, name: str = "page.md", **templates: str) -> str:
    """Return the Markdown that a file is read as, where it names no other file."""
    return site_page(text, name, templates, lambda path: None).text


def unresolved(text: str, name: str = "page.md", **templates: str) -> tuple[str, ...]:
    return site_page(text, name, templates, lambda path: None).unresolved


PANELS = "# Pair\n\n## Windows\n\nOpen Settings.\n\n## Mac\n\nOpen the menu.\n\n# Pair\n\nThen wait.\n"

TABS = {
    "docusaurus": (
        "# Pair\n\n<Tabs groupId='os'>\n  <TabItem value='w' label='Windows'>\n\n    Open Settings.\n\n  </TabItem>\n"
        "  <TabItem value='m' label=\"Mac\">Open the menu.</TabItem>\n</Tabs>\n\nThen wait.\n"
    ),
    "names in the element around": (
        "# Pair\n\n<Tabs values={[{label: 'Windows', value: 'w'}, {label: 'Mac', value: 'm'}]}>\n<TabItem value='w'>\n"
        "Open Settings.\n</TabItem>\n<TabItem value='m'>\nOpen the menu.\n</TabItem>\n</Tabs>\nThen wait.\n"
    ),
    "names in order": (
        "# Pair\n\n<Tabs items={['Windows', 'Mac']}>\n<Tabs.Tab>\nOpen Settings.\n</Tabs.Tab>\n<Tabs.Tab>\n"
        "Open the menu.\n</Tabs.Tab>\n</Tabs>\n\nThen wait.\n"
    ),
    "mkdocs": '# Pair\n\n=== "Windows"\n\n    Open Settings.\n\n=== "Mac"\n    Open the menu.\n\nThen wait.\n',
    "hugo": (
        '# Pair\n\n{{< tabs "x" >}}\n{{< tab "Windows" >}}\nOpen Settings.\n{{< /tab >}}\n'
        '{{% tab header="Mac" %}}Open the menu.{{% /tab %}}\n{{< /tabs >}}\nThen wait.\n'
    ),
    "liquid": (
        '# Pair\n\n{% tabs %}\n{% tab title="Windows" %}\nOpen Settings.\n{% endtab %}\n{% tab title="Mac" %}\n'
        "Open the menu.\n{% endtab %}\n{% endtabs %}\nThen wait.\n"
    ),
    "markdoc": (
        '# Pair\n\n{% tabs %}\n{% tab label="Windows" %}\nOpen Settings.\n{% /tab %}\n{% tab label="Mac" %}\n'
        "Open the menu.\n{% /tab %}\n{% /tabs %}\nThen wait.\n"
    ),
    "myst with colons": (
        "# Pair\n\n::::{tab-set}\n:::{tab-item} Windows\n:sync: w\n\nOpen Settings.\n:::\n:::{tab-item} Mac\n"
        "Open the menu.\n:::\n::::\n\nThen wait.\n"
    ),
    "myst with fences": (
        "# Pair\n\n````{tab-set}\n```{tab-item} Windows\nOpen Settings.\n```\n```{tab-item} Mac\nOpen the menu.\n```\n"
        "````\n\nThen wait.\n"
    ),
    "slashes": "# Pair\n\n/// tab | Windows\nOpen Settings.\n///\n\n/// tab | Mac\nOpen the menu.\n///\n\nThen wait.\n",
    "links": (
        "# Pair\n\n# [Windows](#tab/w)\n\nOpen Settings.\n\n# [Mac](#tab/m)\n\nOpen the menu.\n\n---\n\nThen wait.\n"
    ),
}


def test_each_panel_of_tabs_is_a_section_under_its_label_in_every_dialect() -> None:
    for dialect, text in TABS.items():
        assert read(text) == PANELS, dialect


def test_tabs_inside_a_step_are_conditional_parts_of_the_step() -> None:
    text = '1. Open it:\n\n    === "Windows"\n\n        Press Win.\n\n    === "Mac"\n\n        Press Cmd.\n\n2. Wait.\n'
    wanted = (
        "1. Open it:\n\n   {for Windows}\n\n   Press Win.\n\n   {/for}\n\n"
        "   {for Mac}\n\n   Press Cmd.\n\n   {/for}\n\n2. Wait.\n"
    )
    assert read(text) == wanted


def test_what_unfolds_between_two_steps_does_not_part_them() -> None:
    text = "## Do\n\n1. Open.\n\n<details>\n<summary>Why <b>so</b>?</summary>\nIt is hot.\n</details>\n\n2. Wait.\n"
    assert read(text) == "## Do\n\n1. Open.\n\n**Why so?**\n\nIt is hot.\n\n2. Wait.\n"


def test_headings_in_a_panel_are_below_its_label() -> None:
    text = '# A\n\n=== "One"\n\n    ## B\n\n    Text.\n\n    ### C\n\n    More.\n\n## D\n\nEnd.\n'
    assert read(text) == "# A\n\n## One\n\n### B\n\nText.\n\n#### C\n\nMore.\n\n## D\n\nEnd.\n"


def test_text_behind_panels_without_a_heading_above_is_under_the_title() -> None:
    text = '---\ntitle: Clean it\n---\n\n=== "One"\n    Wipe.\n\nDry it.\n'
    assert read(text) == "---\ntitle: Clean it\n---\n\n## One\n\nWipe.\n\n# Clean it\n\nDry it.\n"


NOTES = {
    "colons": ":::warning\n\nIt is hot.\n\n:::\n",
    "colons in angles": ":::{warning}\nIt is hot.\n:::\n",
    "pandoc": "::: {.callout-warning}\nIt is hot.\n:::\n",
    "mkdocs": "!!! warning\n    It is hot.\n",
    "folded": "???+ warning\n\n    It is hot.\n",
    "without a title": '!!! warning ""\n    It is hot.\n',
    "myst": "```{warning}\nIt is hot.\n```\n",
    "component": "<Admonition type='warning'>\n  It is hot.\n</Admonition>\n",
    "name of a component": "<Warning>It is hot.</Warning>\n",
    "hugo": '{{< alert color="warning" >}}It is hot.{{< /alert >}}\n',
    "hugo by place": "{{% notice warning %}}\nIt is hot.\n{{% /notice %}}\n",
    "gitbook": '{% hint style="warning" %}\nIt is hot.\n{% endhint %}\n',
    "slashes": "/// warning\nIt is hot.\n///\n",
    "kramdown": "{: .warning }\nIt is hot.\n",
}


def test_a_note_begins_with_its_kind_in_every_dialect() -> None:
    for dialect, text in NOTES.items():
        assert read(text) == "**Warning:** It is hot.\n", dialect


def test_the_title_of_a_note_stands_behind_its_kind() -> None:
    for text in (
        ":::danger Hot water\nStay away.\n:::\n",
        ":::danger[Hot water]\n\nStay away.\n\n:::\n",
        '!!! danger "Hot water"\n    Stay away.\n',
        ":::{admonition} Hot water\n:class: danger\nStay away.\n:::\n",
        '<Callout type="danger" title="Hot water">\nStay away.\n</Callout>\n',
    ):
        assert read(text) == "**Danger: Hot water.** Stay away.\n", text
    assert read("> [!danger]+ Hot water\n> Stay away.\n") == "> **Danger: Hot water.** Stay away.\n"
    assert read("1. Go.\n\n   > [!NOTE]\n   > Four screws.\n") == "1. Go.\n\n   > **Note:** Four screws.\n"


def test_a_note_that_is_given_its_words_ends_with_them() -> None:
    wanted = "**Note:** All is deleted.\n\nThe tool is here.\n"
    for text in ('{% include note.html text="All is deleted." %}', '{{< note text="All is deleted." >}}'):
        assert read(f"{text}\n\nThe tool is here.\n") == wanted, text


def test_a_note_that_begins_with_a_list_has_its_kind_above_it() -> None:
    assert read(":::tip\n\n- Wipe.\n- Dry.\n\n:::\n") == "**Tip:**\n\n- Wipe.\n- Dry.\n"


def test_mdx_loses_its_programs_and_tags_and_keeps_its_words() -> None:
    text = (
        "import X from '@theme/X';\nimport {\n  A,\n  B\n} from '../b';\n\nexport const size = 3;\n"
        "export const f = () => {\n\n  return 1;\n};\n\n# Tank\n\n{/* ask the lab */}\n\n"
        "It holds {size} litres{' of '}water. <Badge>New</Badge>\n\n<Card title=\"Help\" />\n\nEnter <PASSWORD>.\n"
    )
    assert read(text, "page.mdx") == "# Tank\n\nIt holds 3 litres of water. New\n\nHelp\n\nEnter <PASSWORD>.\n"
    assert read("import the file from 'x' first.\n\nexport default settings to it.\n") == (
        "import the file from 'x' first.\n\nexport default settings to it.\n"
    )


def test_what_is_not_known_is_left_out_and_listed() -> None:
    text = 'The tool {{ site.tool }} is {{< param version >}}.\n\n<Prices />\n\n--8<-- "a.md"\n'
    assert read(text) == "The tool  is .\n"
    assert unresolved(text) == ("a.md", "<Prices />", "{{< param version >}}", "site.tool")
    assert read("The tool {{ tool }}.\n", tool="k6tool") == "The tool k6tool.\n"
    assert unresolved("It is {size}.\n", "page.mdx") == ("size",)


def test_marks_inside_a_line_go_and_words_stay() -> None:
    for written, wanted in {
        "## Reset {#reset}": "## Reset",
        "## Reset {: .big #reset }": "## Reset",
        "See [[Lamps|the lamps]] and [[Lamps#Red lamp]].": "See the lamps and Lamps > Red lamp.",
        "![[keys.png]] Hold ==ten seconds==.": " Hold ten seconds.",
        "Press ++ctrl+alt+del++.": "Press ctrl+alt+del.",
        "Wait. %%ask the lab%%": "Wait. ",
        "Wait.<!-- ask\nthe lab -->": "Wait.",
        "Press {kbd}`Ctrl` and see {ref}`the lamps <lamps>`.": "Press Ctrl and see the lamps.",
        '![Back](a.png){ width="200" }': "![Back](a.png)",
        ":material-account: Open it.": " Open it.",
        'See [it]({{< ref "a.md" >}}).': "See [it]().",
        "Use it.[^1]\n\n[^1]: Old.": "Use it. (1)\n\n(1) Old.".replace("It.", "it."),
    }.items():
        assert read(f"Text.\n\n{written}\n") == f"Text.\n\n{wanted}\n".replace("\n\n\n", "\n\n"), written


UNTOUCHED = (
    "# C++ and ==\n\nUse a == b and c == d, C++ and D++, 100%% of %%i, {size}, [[ -f x ]], a[[1]].\n",
    "```jsx\nimport A from 'a';\n\n\n<Tabs>\n:::note\n{{ x }} {#a}\n```\n\n~~~\n!!! note\n    a\n~~~\n",
    "Text with `{{ x }}`, `{#a}`, ``a ` <Tab b=1>`` and <kbd>A</kbd>.\n",
    "Code:\n\n    {{ x }}\n    <Tab a='b'/>\n\n\n\nEnd.\n",
    "1. One\n\n   ```sh\n   echo {{ x }}\n   ```\n\n2. Two\n",
    "---\ntitle: A\n---\n# A\r\n\r\nText.\r\n",
    "A\n===\n\nB\n---\n\n* * *\n\n!!! Stop.\n\n??? What.\n",
    "| a | b |\n|---|---|\n| {x} | `{#y}` |\n\n- [x] done\n",
)


def test_other_text_is_not_changed_by_a_character() -> None:
    for text in UNTOUCHED:
        assert read(text) == text


def test_blocks_of_html_are_read_as_a_web_page_is() -> None:
    for written, wanted in {
        '<p align="center">Hold it.</p>': "Hold it.",
        "<div>\nWipe it.\n</div>": "Wipe it.",
        "<br/>\nThe number is 7.": "The number is 7.",
        "<dl><dt>K9</dt><dd>Three years.</dd></dl>": "**K9**\n\nThree years.",
        "<table>\n<tr><th>Part</th><th>Months</th></tr>\n\n<tr><td>Pump</td><td>24</td></tr>\n</table>": (
            "| Part | Months |\n| --- | --- |\n| Pump | 24 |"
        ),
        "<ul>\n<li>One</li>\n<li>Two</li>\n</ul>": "- One\n- Two",
    }.items():
        assert read(f"## A\n\n{written}\n\nEnd.\n") == f"## A\n\n{wanted}\n\nEnd.\n", written
    assert read("1. Do:\n\n   <p>Hold it.</p>\n\n2. End.\n") == "1. Do:\n\n   Hold it.\n\n2. End.\n"


def test_front_matter_in_toml_is_read() -> None:
    page = site_page('+++\ntitle = "Reset"\nweight = 10\n+++\n\nHold it.\n', "a.md", {}, lambda path: None)
    assert page.title == "Reset"
    assert page.text == '---\ntitle: "Reset"\nweight: 10\n---\n\nHold it.\n'


def test_included_files_are_read_from_what_was_added_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Secret.")
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / "_note.mdx").write_text("---\ntitle: x\n---\n:::note\nWipe it.\n:::\n")
    (docs / "sub" / "a.mdx").write_text("import Note from '../_note.mdx';\n\n# A\n\n<Note />\n\nEnd.\n")
    (docs / "b.md").write_text('# B\n\n--8<-- "../secret.md"\n\n{% include_relative _note.mdx %}\n')
    (docs / "loop.md").write_text("Again.\n\n![[loop.md]]\n")
    read = read_documents([docs])
    texts = {record.item.id: record.item.text for record in read.records}
    assert texts["sub/a.mdx"] == "# A\n\n**Note:** Wipe it.\n\nEnd.\n"
    assert texts["b.md"] == "# B\n\n**Note:** Wipe it.\n"
    assert texts["loop.md"].count("Again.") == 6
    assert read.unresolved == (("../secret.md", 1), ("loop.md", 1))


def test_a_fetched_page_has_no_file_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.md").write_text("Secret.")
    monkeypatch.chdir(tmp_path)
    text = b'# A\n\n--8<-- "secret.md"\n\nEnd.\n'
    assert read_fetched(text, "markdown", "https://x.org/a.md", {}).item.text == "# A\n\nEnd.\n"


@pytest.mark.parametrize("name", ["a.md", "a.mdx"])
def test_hostile_texts_end(name: str) -> None:
    """A quadratic step would take minutes here; that there is an end is the assertion."""
    for piece in (
        "<A ",
        '<A "',
        "{{< a ",
        "{% a ",
        "{{#",
        "[[",
        "%%a",
        "<!--",
        "{/*",
        "`",
        ":::a\n",
        "!!! a\n ",
        "{#a",
    ):
        read(piece * (50_000 // len(piece)), name)
    for piece in ("> [!a]\n", "import {\n", "export const a = {\n", "{'", '=== "a"\n ', "~~~\n", "```{a}\n"):
        read(piece * (50_000 // len(piece)), name)
