"""Tabs, accordions and expanders of a page: each panel becomes a section under its label, and hides no longer.

Which label belongs to which panel is said by ids, or follows from the order of both. A panel is known by its role, by a
name such as ``tab-pane``, or because it hides where others like it are shown or have labels.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
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
_OWN_LABELS = ("data-label", "data-title", "data-tab-title", "data-tab", "label", "title", "aria-label")
_LISTED = ({"li"}, {"a"}, {"button"}, {"label"}, {"div"}, {"span"})  # the one tag of labels in a list
_TOGGLES = {"tab", "pill", "collapse"}  # what Bootstrap calls a control that shows a panel
_LONGEST_LABEL = 120  # characters; what is longer is a text
_LABELS_ABOVE = 3  # levels: as far out of its panels may a list of labels stand
_ENDS = ("main", "article", "body")  # behind them stands nothing of the text


# Complex: one walk, so that the heading above is known at each panel, and behind it where a text follows.
def settle_panels(root: Any) -> None:
    """Give each panel its label as a heading below the one above, and repeat that before the text behind the panel."""
    from lxml import etree

    headings = _open_panels(_labels_of_panels(root))
    around: dict[Any, Any] = {}  # by panel the heading above it
    above = left = None  # the last heading, the panel that ended last
    for event, element in etree.iterwalk(root, events=("start", "end")) if headings else ():
        begins = event == "start"
        if begins and element.tag in HEADINGS:
            above, left = element, None
        elif begins and element in headings:
            around[element] = above
            above = _put_heading(element, headings[element], min(6, 2 if above is None else int(above.tag[1]) + 1))
            left = None
        elif element in around:
            above, left = around[element], element
        elif not begins and element.tag in _ENDS:
            left = None
        if left is not None and above is not None and ((element.text if begins else element.tail) or "").strip():
            again = left.makeelement(above.tag)
            again.text = _words(above)
            left.addnext(again)
            left = None


def _open_panels(labels: Mapping[Any, Any]) -> dict[Any, str]:
    """Show the panels, take their labels away, and return the words of these."""
    found: dict[Any, str] = {}
    for panel, label in labels.items():
        if label is None and (own := next(filter(None, map(panel.get, _OWN_LABELS)), "")):
            found[panel] = own
        elif label is not None and label.tag not in HEADINGS and label.getparent() is not None:
            found[panel] = _words(label)
            label.drop_tree()
        panel.tag = "div"
        for name in ("hidden", "aria-hidden", "style", "class", "role"):
            panel.attrib.pop(name, None)
        for item in panel.iterancestors("ul", "ol", "li", "dl", "dd"):
            item.tag = "div"  # a heading of Markdown stands in no list
    return found


def _put_heading(panel: Any, words: str, level: int) -> Any:
    """Return a heading that is put before a panel in the place of one that it begins with; all in it are below."""
    inner = list(panel.iter(*HEADINGS))
    if inner and _words(inner[0]) == words:
        inner[0].drop_tree()
        del inner[0]
    by = max(0, level + 1 - min((int(one.tag[1]) for one in inner), default=level + 1))
    for one in inner:
        one.tag = f"h{min(6, int(one.tag[1]) + by)}"
    heading = panel.makeelement(f"h{level}")
    heading.text = words
    panel.addprevious(heading)
    return heading


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
        elif (label := by_id.get(is_named and element.get("aria-labelledby"))) is not None:
            found.setdefault(element, next(label.iterancestors(*HEADINGS), label))
        elif (panel := by_id.get(_shown_by(element))) is not None:
            found.setdefault(panel, next(element.iterancestors(*HEADINGS), element))
        elif element.tag in ("div", "section", "dd", "p") and (is_named or is_hidden(element.attrib)):
            groups[element.getparent(), is_named, "" if is_named else names.split(" ", 1)[0]].append(element)
    for (parent, is_named, name), panels in groups.items():
        labels = [_label_before(panel) for panel in panels]
        if None in labels and len(panels) > 1:
            labels = _labels_above(panels) or labels
        alike = [child for child in parent if name and name in child.get("class", "").split()]
        for panel, label in zip(panels, labels, strict=True):
            if is_named or len(alike if label is None else panels) > 1:
                found.setdefault(panel, label)
    return {p: label for p, label in found.items() if _is_text(p, label)}


def _shown_by(control: Any) -> str:
    """Return the id of what a control shows, empty where it is none."""
    is_control = control.get("role") == "tab" or (control.get("aria-expanded") and not control.get("aria-haspopup"))
    if is_control or _TOGGLES & {control.get("data-toggle"), control.get("data-bs-toggle")}:
        names = ("aria-controls", "data-bs-target", "data-target", "href")
        return next((value.removeprefix("#") for name in names if (value := control.get(name))), "")
    return ""


def _label_before(panel: Any) -> Any:
    """Return the label right before a panel, None where something else stands there."""
    before = next(filter(_words, panel.itersiblings(preceding=True)), None)
    if before is None or before.tag in _LABEL_TAGS or _words(before).endswith("?"):
        return before
    name = before.get("class") or ""
    is_list = len(list(filter(_words, before))) > 1
    return before if _LABEL.search(name) and not _PANEL.search(name) and not is_list else None


def _labels_above(panels: Sequence[Any]) -> list[Any]:
    """Return the labels that stand as a list before panels, one for each; nothing where there are no such."""
    place, count = panels[0], len(panels)
    for _ in range(_LABELS_ABOVE):
        labels = list(filter(_words, place.itersiblings(preceding=True)))[count - 1 :: -1]
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
