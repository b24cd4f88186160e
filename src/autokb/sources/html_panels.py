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
_LABEL = re.compile(r"title|head|label|button|btn|link|question|trigger|toggle|summary", re.IGNORECASE)
_LABEL_TAGS = (*HEADINGS, "button", "label", "dt")
_LISTED = ({"li"}, {"a"}, {"button"}, {"label"}, {"div"}, {"span"})  # the one tag of labels in a list
_TOGGLES = {"tab", "pill", "collapse"}  # what Bootstrap calls a control that shows a panel
_LONGEST_LABEL = 120  # characters; what is longer is a text
_FURTHEST = 5  # elements, most of them without words: so far before its panel stands a label at most
_LABELS_ABOVE = 3  # levels: as far out of its panels may a list of labels stand
_ENDS = ("main", "article", "body")  # behind them stands nothing of the text


# Complex: one walk, so that the heading above is known at each panel, and behind it where a text follows.
def settle_panels(root: Any) -> None:
    """Give each panel its label as a heading below the one above, and repeat that before the text behind the panel."""
    from lxml import etree
    from lxml.html.builder import E

    labels = _open_panels(_labels_of_panels(root))
    inside: list[tuple[Any, Any, int]] = []  # open panels: each with the heading above it, and the level of its own
    above = left = None  # the last heading, the panel that ended last
    for event, element in etree.iterwalk(root, events=("start", "end")) if labels else ():
        text = element.text if event == "start" else element.tail
        if event == "start" and element.tag in HEADINGS:
            if inside:
                element.tag = f"h{min(6, max(int(element.tag[1]), inside[-1][2] + 1))}"
            above, left = element, None
        elif event == "start" and element in labels:
            level = min(6, 2 if above is None else int(above.tag[1]) + 1)
            inside.append((element, above, level))
            above, left = E(f"h{level}", labels[element]), None
            element.addprevious(above)
        elif inside and element is inside[-1][0]:
            left, above, _ = inside.pop()
        if element.tag in _ENDS:
            left = None
        if left is not None and above is not None and (text or "").strip():
            left.addnext(E(above.tag, _words(above)))
            left = None


def _open_panels(labels: Mapping[Any, Any]) -> dict[Any, str]:
    """Show the panels, take their labels away, and return the words of these."""
    found: dict[Any, str] = {}
    for panel, label in labels.items():
        if label is not None and label.tag not in HEADINGS and label.getparent() is not None:
            found[panel] = _words(label)
            label.drop_tree()
            own = next(panel.iter(*HEADINGS), None)
            if own is not None and _words(own) == found[panel]:
                own.drop_tree()
        panel.tag = "div"
        for name in ("hidden", "aria-hidden", "style", "class", "role"):
            panel.attrib.pop(name, None)
        for item in panel.iterancestors("ul", "ol", "li", "dl", "dd"):
            item.tag = "div"  # a heading of Markdown stands in no list
    return found


def _words(element: Any) -> str:
    return " ".join(element.text_content().split())


# Complex: a page says by ids, by names or by order which label a panel has, and the first of these counts.
def _labels_of_panels(root: Any) -> dict[Any, Any]:
    """Return the label of each panel, None for one that has none of its own and hides."""
    by_id = {element.get("id"): element for element in root.iterfind(".//*[@id]")}
    groups: defaultdict[tuple[Any, bool, str], list[Any]] = defaultdict(list)
    found: dict[Any, Any] = {}
    for element in root.iter():
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        is_named = element.get("role") == "tabpanel" or _PANEL.search(names) is not None
        if element.tag == "summary":
            found.setdefault(element.getparent(), element)
        elif (panel := by_id.get(_shown_by(element))) is not None:
            found.setdefault(panel, next(element.iterancestors(*HEADINGS), element))
        elif element.tag in ("div", "section", "dd", "p") and (is_named or is_hidden(element.attrib)):
            groups[element.getparent(), is_named, "" if is_named else names.split(" ", 1)[0]].append(element)
    for (_, is_named, name), panels in groups.items():
        labels = [_label_before(panel) for panel in panels]
        if is_named and None in labels and len(panels) > 1:
            labels = _labels_above(panels) or labels
        beside = [one for one in (panels[0].getprevious(), panels[-1].getnext()) if one is not None]
        if is_named or (name and any(name in one.get("class", "").split() for one in beside)):
            for panel, label in zip(panels, labels, strict=True):
                found.setdefault(panel, label)
    return {p: label for p, label in found.items() if (label is not None or is_hidden(p.attrib)) and _is_text(p, label)}


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
    if before is None or before.tag in _LABEL_TAGS or _words(before).endswith("?"):
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
    """Return whether a panel is a part of the text, no menu or form, and its label is short."""
    around = [panel, *panel.iterancestors()]
    if label is not None and (label in around or not 0 < len(_words(label)) <= _LONGEST_LABEL):
        return False
    links = sum(len(_words(link)) for link in panel.iter("a"))
    return links <= len(_words(panel)) / 2 and not any(place.tag in TAGS_OF_AREAS for place in around)
