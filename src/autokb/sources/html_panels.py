"""Tabs, accordions and expanders of a page: each panel becomes a section under its label, and hides no longer.

Which label belongs to which panel is said by ids, or follows from the order of both. A panel is known by its role, by a
name such as ``tab-pane``, or because it hides where others like it are shown or have labels.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from autokb.sources.html_areas import TAGS_OF_AREAS, is_hidden

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_PANEL = re.compile(
    r"(?:tab|accordion|collaps|expand|toggle|spoiler|faq|fold)(?:[a-z]*[-_]+)*"
    r"(?:pane|panel|content|body|block|answer|collapse)\b|\bpane\b|\btabs?-\d|(?:^| )panel ",
    re.IGNORECASE,
)
_PANEL_TAGS = ("div", "section", "article", "details", "dd", "li", "p", "ul", "ol", "pre", "figure")
_LABEL = re.compile(r"title|head|label|button|btn|link|question|trigger|toggle|summary", re.IGNORECASE)
_LABEL_TAGS = (*HEADINGS, "button", "label", "dt")
_LISTED = ({"li"}, {"a"}, {"button"}, {"label"}, {"div"}, {"span"})  # the one tag of labels in a list
_TOGGLES = {"tab", "pill", "collapse"}  # what Bootstrap calls a control that shows a panel
_LONGEST_LABEL = 120  # characters; what is longer is a text
_FURTHEST = 5  # elements, most of them without words: so far before its panel stands a label at most
_LABELS_ABOVE = 3  # levels: as far out of its panels may a list of labels stand
_NAMES = ("aria-label", "data-label", "data-title", "data-tab", "data-value", "title")  # attributes that name a panel
_MOST_TABS = 20  # elements before a panel among which its like are counted
_NAME = re.compile(r"[^\W\d_]{2}")
_ENDS = ("main", "article", "body")  # behind them stands nothing of the text


# Complex: one walk, so that the heading above is known at each panel, and behind it where a text follows.
def settle_panels(root: Any) -> None:
    """Give each panel its label as a heading below the one above, and repeat that before the text behind the panel."""
    from lxml import etree
    from lxml.html.builder import E

    labels = _open_panels(_labels_of_panels(root))
    inside: list[tuple[Any, Any, Any]] = []  # open panels: each with the heading above it, and its own
    above: Any = None  # the last heading
    left: Any = None  # the panel that ended last
    for event, element in etree.iterwalk(root, events=("start", "end")) if labels else ():
        begins = event == "start"
        if begins and element.tag in HEADINGS:
            element.tag = f"h{max(int(element.tag[1]), _level_below(inside[-1][2] if inside else None))}"
            above, left = element, None
        elif begins and element in labels:
            heading = E(f"h{max(2, _level_below(above))}", labels[element])
            element.addprevious(heading)
            inside.append((element, above, heading))
            above, left = heading, None
        elif inside and element is inside[-1][0]:
            left, above, _ = inside.pop()
        if element.tag in _ENDS or above is None:
            left = None
        if left is not None and _says(element.text if begins else element.tail):
            left.addnext(E(above.tag, _words(above)))
            left = None


def _level_below(heading: Any) -> int:
    return 1 if heading is None else min(6, int(heading.tag[1]) + 1)


def _says(text: str | None) -> bool:
    return bool(text and text.strip())


def _open_panels(labels: Mapping[Any, Any]) -> dict[Any, str]:
    """Show the panels, take their labels away, and return the words of these."""
    found = {panel: _own_name(panel) for panel, label in labels.items() if label is None}
    for panel, label in labels.items():
        if label is not None and label.tag not in HEADINGS and label.getparent() is not None:
            found[panel] = _words(label)
            label.drop_tree()
            own = next(panel.iter(*HEADINGS), None)
            if own is not None and _words(own) == found[panel]:
                own.drop_tree()
        _show(panel)
    return {panel: words for panel, words in found.items() if words}


def _show(panel: Any) -> None:
    if panel.tag in ("details", "li", "dd"):
        panel.tag = "div"
    for name in ("hidden", "aria-hidden", "style", "class", "role"):
        panel.attrib.pop(name, None)
    for item in panel.iterancestors("ul", "ol", "li", "dl", "dd"):
        item.tag = "div"  # a heading of Markdown stands in no list


def _own_name(panel: Any) -> str:
    """Return what a panel without a label is called by itself, or by its place among its like; else nothing."""
    kind = (panel.get("class") or "").split()[:1]
    before = islice(panel.itersiblings(preceding=True), _MOST_TABS)
    like = [one for one in before if kind and (one.get("class") or "").split()[:1] == kind]
    named = (" ".join((panel.get(name) or "").split())[:_LONGEST_LABEL] for name in _NAMES)
    return next((one for one in named if _NAME.search(one)), f"Tab {len(like) + 1}" if like else "")


def _words(element: Any) -> str:
    return " ".join(element.text_content().split())


# Complex: a panel is known by its name, or by hiding beside one that is shown; what a page says by ids counts first.
def _labels_of_panels(root: Any) -> dict[Any, Any]:
    """Return the label of each panel, None for one that has none of its own and hides."""
    found, by_order = _labels_by_id(root), dict[Any, Any]()
    groups: defaultdict[tuple[Any, bool, str], list[Any]] = defaultdict(list)
    for element in root.iter(*_PANEL_TAGS):
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        is_named = element.get("role") == "tabpanel" or _PANEL.search(names) is not None
        if is_named or is_hidden(element.attrib):
            groups[element.getparent(), is_named, "" if is_named else names.split(" ", 1)[0]].append(element)
    for (_, is_named, name), panels in groups.items():
        if is_named or _is_like_its_neighbours(panels, name):
            by_order.update(zip(panels, _labels_by_order(panels), strict=True))
    return {panel: label for panel, label in {**by_order, **found}.items() if _is_text(panel, label)}


def _labels_by_id(root: Any) -> dict[Any, Any]:
    """Return the labels of panels that these name, and those of ``details``."""
    by_id = {element.get("id"): element for element in root.iterfind(".//*[@id]")}
    found = {summary.getparent(): summary for summary in reversed(list(root.iter("summary")))}
    for element in root.iter():
        if (panel := by_id.get(_shown_by(element))) is not None:
            found.setdefault(panel, next(element.iterancestors(*HEADINGS), element))
    return found


def _is_like_its_neighbours(panels: Sequence[Any], name: str) -> bool:
    """Return whether what stands beside panels that hide has their name and is shown."""
    beside = [one for one in (panels[0].getprevious(), panels[-1].getnext()) if one is not None]
    return bool(name) and any(name in one.get("class", "").split() for one in beside)


def _labels_by_order(panels: Sequence[Any]) -> Sequence[Any]:
    labels = [_label_before(panel) for panel in panels]
    return (None in labels and len(panels) > 1 and _labels_above(panels)) or labels


def _shown_by(control: Any) -> str:
    """Return the id of what a control shows, empty where it is none."""
    is_control = control.get("role") == "tab" or (control.get("aria-expanded") and not control.get("aria-haspopup"))
    if is_control or _TOGGLES & {control.get("data-toggle"), control.get("data-bs-toggle")}:
        names = ("aria-controls", "data-bs-target", "data-target", "href")
        return next((value.removeprefix("#") for name in names if (value := control.get(name))), "")
    return ""


def _label_before(panel: Any) -> Any:
    """Return the label right before a panel, None where something else stands there."""
    before = next(filter(_words, islice(panel.itersiblings(preceding=True), _FURTHEST)), None)
    if before is None or len(_words(before)) > _LONGEST_LABEL:
        return None
    if before.tag in _LABEL_TAGS or _words(before).endswith("?"):
        return before
    name = before.get("class") or ""
    is_list = len(list(filter(_words, before))) > 1
    return before if _LABEL.search(name) and not _PANEL.search(name) and not is_list else None


def _labels_above(panels: Sequence[Any]) -> list[Any]:
    """Return the labels that stand as a list before panels, one for each; nothing where there are no such."""
    place, count = panels[0], len(panels)
    for _ in range(_LABELS_ABOVE):
        labels = list(filter(_words, islice(place.itersiblings(preceding=True), count + _FURTHEST)))[count - 1 :: -1]
        while labels:
            if len(labels) == count and {label.tag for label in labels} in _LISTED:
                return labels
            labels = list(filter(_words, labels[-1]))
        place = place.getparent()
    return []


def _is_text(panel: Any, label: Any) -> bool:
    """Return whether a panel has a short label or hides, and is a part of the text, no menu or form."""
    if label is None and not is_hidden(panel.attrib):
        return False
    around = [panel, *panel.iterancestors()]
    if label is not None and (label in around or not 0 < len(_words(label)) <= _LONGEST_LABEL):
        return False
    if panel.tag not in _PANEL_TAGS or any(place.tag in (*TAGS_OF_AREAS, "td", "th") for place in around):
        return False
    links = sum(len(_words(link)) for link in panel.iter("a"))
    return links <= len(_words(panel)) / 2
