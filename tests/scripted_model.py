"""A script that plays a model for every task: right and sensible replies, so that a build can be run to its end.

It tries the plumbing (requests, replies, the ledger, what a build counts) and says nothing of any model's quality. It
reads the prompt alone, as a model does, and is deterministic: a request that is a repair gets the same reply. With
tests/stub_server.py: ``StubServer(ScriptedModel())``, or ``--script tests/scripted_model.py:reply``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import chunk_judge
from autokb.tasks.prompts import unescaped

Reply = dict[str, Any]
Count = Callable[[str], int]
MOST_THEMES = 12
SENTENCE = 190  # characters of a context of one sentence: some 25 words
THREE_SENTENCES = 430
LONGEST_TREE = 24
STEPS = 4  # steps of a solution at most
_WORD = re.compile(r"[^\W\d_]{4,}")
_ITEM = re.compile(r"^\[(\d+)\] *(?:\d+[.)]|[-*+])[ \t]+(\S.*)$")
_PASSAGE = re.compile(r"<passage>\n(.*?)\n</passage>", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$")
_LINK = re.compile(r"!?\[[^\]]*\]\([^)]*\)")
_NOTICE = re.compile(r"\bcookies?\b|\bcopyright\b|©|\bnewsletter\b", re.IGNORECASE)
_COMMON = frozenset(
    """
    about after again always anything around because been before being both cannot could does doing dont every from
    have having hello help here into just know like make makes more much need only other over please since some still
    such tell than that them then there these they this those time very want what when where which while will with work
    working works would your yesterday today
    """.split()
)


class Attribute:
    """An attribute as a prompt describes it."""

    def __init__(self, field: str, kind: str, values: Sequence[str]) -> None:
        self.field = field
        self.kind = kind
        self.values = list(values)
        self.words: dict[str, list[str]] = {v: [v] for v in values}

    def said(self, text: str) -> list[str]:
        """Return the values that a text names."""
        return [v for v, words in self.words.items() if any(_names(word, text) for word in words)]


class ScriptedModel:
    """Replies to chat completions.

    ``children`` gives how many children the tree of a seed has, ``solutions`` how many solutions an issue has, both
    from the issue's text; ``own`` at which place among the lists of steps given the one stands that an issue has for
    itself (0: it has none).
    """

    def __init__(
        self,
        children: Count = lambda _seed: 4,
        solutions: Count = lambda _issue: 1,
        own: Count = lambda _issue: 0,
    ) -> None:
        self.children = children
        self.solutions = solutions
        self.own = own

    def __call__(self, body: Mapping[str, Any]) -> str:
        """Return the reply to the body of a request."""
        system, user = (str(message["content"]) for message in body["messages"][:2])
        name, schema = form_of(body)
        if name in chunk_judge.TASKS:
            return json.dumps(chunk_judge.answers(name, user), ensure_ascii=False)
        task = name.partition("_")[2]
        return json.dumps(getattr(self, f"_{task}")(system, user, schema), ensure_ascii=False)

    def _find_themes(self, _system: str, user: str, schema: Reply) -> Reply:
        issues = dict(_numbered(_one(user, "issues")))
        themes = _themes(issues)
        if "issues" in _properties(schema, "Theme"):
            names = [str(theme["name"]) for theme in themes]
            of_issue = {n: _nearest(text, names) for n, text in issues.items()}
            whole = [
                {
                    "name": theme["name"],
                    "issues": [n for n, name in of_issue.items() if name == theme["name"]],
                    "miscellaneous": theme["miscellaneous"],
                }
                for theme in themes
            ]
            themes = [theme for theme in whole if theme["issues"]]
        return {"answers": [{"number": 1, "themes": themes}]}

    def _assign_theme(self, system: str, user: str, _schema: Reply) -> Reply:
        themes = [name for _, name in _numbered(_one(system, "themes"))]
        return _answers((n, {"theme": themes.index(_nearest(text, themes)) + 1}) for n, text in _texts(user, "issue"))

    def _extract_attributes(self, system: str, user: str, _schema: Reply) -> Reply:
        known = _attributes(system)
        return _answers((n, {"attributes": {a.field: a.said(t) for a in known}}) for n, t in _texts(user, "text"))

    def _grow_tree(self, system: str, user: str, _schema: Reply) -> Reply:
        known = _attributes(system)
        line = _one(user, "seed").split("\n")[0]
        text = _general(line, known)[:120]
        cluster = _all(_raw(user, "cluster"), "report")
        reports = [(n, json.loads(unescaped(said.rpartition("It says: ")[2]))) for n, said in cluster]
        anything = {a.field: ["Any"] for a in known}
        children = [
            {
                "text": f"{text} ({value}, {attribute.field.replace('_', ' ')})",
                "attributes": anything | {attribute.field: [value]},
                "reports": [n for n, said in reports if value in said.get(attribute.field, [])][:30],
            }
            for attribute in known
            if attribute.kind == "closed"
            for value in attribute.values
        ]
        few = children[: min(self.children(text), LONGEST_TREE)]
        return {"answers": [{"number": 1, "parent": {"text": text, "attributes": anything}, "children": few}]}

    def _grow_trees(self, system: str, user: str, _schema: Reply) -> Reply:
        known = _attributes(system)
        return _answers((n, {"trees": [self._tree(cluster, known)]}) for n, cluster in _texts(user, "cluster"))

    def _tree(self, cluster: str, known: Sequence[Attribute]) -> Reply:
        """Return one tree of a cluster, with a child for each of the first closed values."""
        reports = [(n, *_with_values(line)) for n, line in _numbered(cluster.partition("\n<")[0])]
        text = _general(reports[0][1], known)[:120]
        children = [
            {
                "text": f"{text} ({value}, {attribute.field.replace('_', ' ')})",
                "attributes": [{"name": attribute.field, "values": [value]}],
                "reports": [n for n, _, said in reports if value in said.get(attribute.field, [])],
            }
            for attribute in known
            if attribute.kind == "closed"
            for value in attribute.values
        ]
        few = children[: min(self.children(text), LONGEST_TREE)]
        return {"parent": {"text": text, "attributes": [], "reports": []}, "children": few}

    def _merge_parents(self, _system: str, user: str, _schema: Reply) -> Reply:
        found = []
        for number, group in _texts(user, "group"):
            alike: dict[tuple[str, ...], list[int]] = {}
            for n, line in _numbered(group):
                alike.setdefault(tuple(sorted(set(_words(line)))), []).append(n)
            found.append((number, {"same": [same for same in alike.values() if len(same) > 1]}))
        return _answers(found)

    def _merge_blocks(self, _system: str, user: str, _schema: Reply) -> Reply:
        answers = []
        for number, page in _all(user, "page"):
            asked = {int(n): unescaped(text) for n, text in re.findall(r"<p(\d+)>\n?(.*?)\n?</p\1>", page, re.DOTALL)}
            noise = [{"first": n, "last": n, "kind": kind} for n, text in asked.items() if (kind := _noise_kind(text))]
            answers.append((number, {"ranges": _units(asked, {part["first"] for part in noise}), "noise": noise}))
        return _answers(answers)

    def _find_splits(self, _system: str, user: str, _schema: Reply) -> Reply:
        return _answers([(1, {"after": [n - 1 for n in _beginnings([text for _, text in _texts(user, "piece")])]})])

    def _find_shift(self, _system: str, user: str, _schema: Reply) -> Reply:
        return _answers([(1, {"at": _beginnings([text for _, text in _texts(user, "paragraph")])[0]})])

    def _add_context(self, system: str, user: str, _schema: Reply) -> Reply:
        title, chained = _one(user, "title"), "Two or three short sentences" in system
        before = _one(_raw(user, "before"), "headings").split(" > ")[-1]
        contexts = [
            {"passage": n, "context": _context(title, passage, before, chained)} for n, passage in _all(user, "passage")
        ]
        return {"answers": [{"number": 1, "contexts": contexts}]}

    def _write_solutions(self, system: str, user: str, schema: Reply) -> Reply:
        known, with_attributes = _attributes(system), "attributes" in _properties(schema, "Solution")
        sections = [section for passage in _PASSAGE.findall(user) for section in _sections(passage, known)]
        written: dict[str, Reply] = {}
        answers = []
        for number, issue in _all(user, "issue"):
            text, fixed = _one(issue, "text"), dict(re.findall(r"(\w+): ([^;]+)", _one(issue, "attributes")))
            own = _own_lines(_one(issue, "lines"), sections)
            found = sorted((section for section in own if _suits(section, fixed)), key=_usual)
            ids = []
            for draft in _chosen(found, self.solutions(text), self.own(text)):
                kept = draft if with_attributes else _for_one(draft, fixed)
                ids.append(written.setdefault(json.dumps(kept), {"id": len(written) + 1, **kept})["id"])
            answers.append((number, {"solutions": ids}))
        return {"solutions": list(written.values()), **_answers(answers)}

    def _check_rules(self, system: str, user: str, _schema: Reply) -> Reply:
        rules = re.findall(r"^- ([\w-]+): (.*)$", _one(system, "rules"), re.MULTILINE)
        found = []
        for number, solution in _texts(user, "solution"):
            kept = [i for i, text in rules if set(_words(text)) & set(_words(solution))]
            found.append((number, {"broken": [], "doubted": [], "kept": kept}))
        return _answers(found)

    def _draft_spec(self, _system: str, user: str, _schema: Reply) -> Reply:
        issues = list(_numbered(_one(user, "issues")))
        common = Counter(word for _, text in issues for word in sorted(set(_words(text))))
        values = [word for word, _ in common.most_common(4)]
        drafted = {
            "name": "subject",
            "why": "Other parts need other steps.",
            "issues": [n for n, text in issues if set(_words(text)) & set(values)][:12],
            "kind": "closed",
            "values": values,
            "synonyms": [],
            "examples": [],
        }
        rule = {"id": "no-guessing", "text": "Name no step that no manual has.", "why": "Customers try what they read."}
        return {"answers": [{"number": 1, "attributes": [drafted] if len(values) > 1 else [], "rules": [rule]}]}

    def _query_variations(self, _system: str, user: str, _schema: Reply) -> Reply:
        levels: dict[str, tuple[str, ...]] = {
            "easy": ("{}!", "{} ...", "Hi, {}", "So: {}", "{}, please"),
            "medium": ("It seems that {}", "It happens that {}", "I see that {}", "I find that {}", "They say {}"),
            "hard": ("What helps when {}?", "{}. Why?", "Is it right that {}?", "{}. What now?", "Since when {}?"),
        }
        return _answers(
            (n, {level: [form.format(text) for form in forms] for level, forms in levels.items()})
            for n, text in _texts(user, "text")
        )

    def _unaided_solutions(self, _system: str, user: str, _schema: Reply) -> Reply:
        found = []
        for number, issue in _texts(user, "issue"):
            topic = " ".join(_words(issue)[:3]) or "it"
            steps = [f"Look at everything about {topic}.", "Switch it off and on again.", "Try it again."]
            found.append((number, {"solutions": [{"title": f"Start again with {topic}", "steps": steps}]}))
        return _answers(found)

    def _choose_answer(self, _system: str, user: str, schema: Reply) -> Reply:
        """Choose the section with most words of the last message; none where none has any."""
        message = re.findall(r'<message from="customer">\n(.*?)\n</message>', user, re.DOTALL)[-1]
        asked = set(_words(unescaped(message)))
        shared = {number: len(asked & set(_words(text))) for number, text in _texts(user, "section")}
        best = [number for number, count in shared.items() if count and count == max(shared.values())][:1]
        attributes: Reply = {name: [] for name in _properties(schema, "Attributes")}
        return _answers([(1, {"attributes": attributes, "sections": best, "line": 0, "ask": "none"})])

    def _correctness(self, _system: str, user: str, _schema: Reply) -> Reply:
        said = {"reason": "The steps are those of the quotes, and they are about this issue.", "verdict": "yes"}
        return _answers((n, said) for n, _ in _all(user, "solution"))


def form_of(body: Mapping[str, Any]) -> tuple[str, Reply]:
    """Return the name and the JSON schema of the reply that a request asks for."""
    if form := body.get("response_format", {}).get("json_schema"):
        return form["name"], form["schema"]
    function = body["tools"][0]["function"]
    return function["name"], function["parameters"]


def _answers(entries: Any) -> Reply:
    return {"answers": [{"number": number, **entry} for number, entry in entries]}


def _properties(schema: Reply, name: str) -> Reply:
    found: Reply = schema.get("$defs", {}).get(name, {}).get("properties", {})
    return found


def _raw(text: str, tag: str) -> str:
    """Return what stands in the first of these tags as it is, empty without one."""
    found = re.search(rf"<{tag}>\n?(.*?)\n?</{tag}>", text, re.DOTALL)
    return found.group(1) if found else ""


def _one(text: str, tag: str) -> str:
    return unescaped(_raw(text, tag))


def _all(text: str, tag: str) -> list[tuple[int, str]]:
    found = re.findall(rf'<{tag} number="(\d+)">\n?(.*?)\n?</{tag}>', text, re.DOTALL)
    return [(int(number), inner) for number, inner in found]


def _texts(text: str, tag: str) -> list[tuple[int, str]]:
    return [(number, unescaped(inner)) for number, inner in _all(text, tag)]


def _numbered(text: str) -> list[tuple[int, str]]:
    return [(int(n), line) for n, line in re.findall(r"^(\d+)\. (.*)$", text, re.MULTILINE)]


def _with_values(line: str) -> tuple[str, dict[str, list[str]]]:
    """Return a report's words, and the values behind them in brackets."""
    text, _, said = line.removesuffix("]").partition(" [") if line.endswith("]") else (line, "", "")
    values = (one.split(": ", 1) for one in said.split("; ") if one)
    return text, {field: names.split(", ") for field, names in values}


def _words(text: str) -> list[str]:
    """Return the words that name something, in their order."""
    return [w.casefold().rstrip("s") for w in _WORD.findall(text) if w.casefold() not in _COMMON]


def _names(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _themes(issues: Mapping[int, str]) -> list[Reply]:
    """Return themes, each one word that several issues share; what is left is miscellaneous."""
    left = {n: set(_words(text)) for n, text in issues.items()}
    most = max(2, len(left) // 3)
    counts = Counter(word for words in left.values() for word in words)
    themes: list[Reply] = []
    while len(themes) < MOST_THEMES - 1:
        now = Counter(word for words in left.values() for word in words if counts[word] <= most)
        word, count = min(now.items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))
        if count < 2:
            break
        own = [n for n, words in left.items() if word in words]
        themes.append({"name": f"{word.capitalize()} makes trouble", "examples": own[:5], "miscellaneous": False})
        left = {n: words for n, words in left.items() if n not in own}
    if left or not themes:
        name = "Miscellaneous: " + ", ".join(sorted({w for n in list(left)[:5] for w in left[n]})[:4])
        themes.append({"name": name[:80], "examples": list(left or issues)[:5], "miscellaneous": True})
    return themes


def _nearest(text: str, themes: Sequence[str]) -> str:
    """Return the first theme whose word the text has, else the miscellaneous one."""
    words = set(_words(text))
    for theme in themes:
        if not theme.startswith("Miscellaneous") and _words(theme)[0] in words:
            return theme
    return next((theme for theme in themes if theme.startswith("Miscellaneous")), themes[-1])


def _attributes(system: str) -> list[Attribute]:
    """Read the lines on each attribute that a prompt has."""
    found: list[Attribute] = []
    for line in _one(system, "attributes").split("\n"):
        if known := re.match(r"(\w+)(?: \(that is .*?\))?: (closed|open)[^\[]*(\[.*\])?$", line):
            found.append(Attribute(known[1], known[2], json.loads(known[3] or "[]")))
        elif also := re.match(r'  ("(?:[^"\\]|\\.)*") is also called (\[.*\])$', line):
            found[-1].words.setdefault(json.loads(also[1]), []).extend(json.loads(also[2]))
    return found


def _general(line: str, known: Sequence[Attribute]) -> str:
    """Return an issue's line without the values that it names."""
    words = sorted((w for a in known for own in a.words.values() for w in own), key=len, reverse=True)
    text = line
    for word in words:
        text = re.sub(
            rf"(?:\b(?:on|with|to) )?(?:\b(?:my|the|a|an|our) )?(?<!\w){re.escape(word)}(?!\w)", "", text, flags=re.I
        )
    text = " ".join(text.split()).strip(" ,;:-")
    return text if len(_words(text)) > 1 else line


def _noise_kind(text: str) -> str:
    """Return the kind of noise that a paragraph is, empty for one that says something."""
    if _LINK.search(text) and not re.search(r"[^\W\d]", _LINK.sub("", text)):
        return "menu"
    return "boilerplate" if _NOTICE.search(text) else ""


def _units(paragraphs: Mapping[int, str], left_out: Set[int]) -> list[list[int]]:
    """Return first and last numbers: a unit begins at a heading, unless another heading leads to it."""
    units: list[list[int]] = []
    under_heading = False
    for number, text in paragraphs.items():
        is_heading = _HEADING.match(text) is not None
        if number not in left_out:
            if units and units[-1][1] == number - 1 and (under_heading or not is_heading):
                units[-1][1] = number
            else:
                units.append([number, number])
        under_heading = is_heading
    return units


def _beginnings(texts: Sequence[str]) -> list[int]:
    """Return which of the numbered texts begin a section, from 2 on: at headings, else where the words change most."""
    headed = [_HEADING.match(text.split("\n")[0]) is not None for text in texts]
    numbers = range(2, len(texts) + 1)
    if found := [n for n in numbers if headed[n - 1] and not headed[n - 2]]:
        return found
    words = [set(_words(text)) for text in texts]
    return [min(numbers, key=lambda n: (headed[n - 2], len(words[n - 1] & words[n - 2])))]


def _context(title: str, passage: str, before: str, chained: bool) -> str:
    """Return what a reader of a passage alone would miss, in one sentence or in three."""
    heading = _one(passage, "headings").split(" > ")[-1] or title
    about = " ".join(dict.fromkeys(_words(_one(passage, "text"))[:12]))
    if not chained:
        return _cut(f"From the page “{title}”, section “{heading}”: what the owner does there about {about}.", SENTENCE)
    first = f"This passage is from the page “{title}” and belongs to its section “{heading}”."
    after = (
        f"It goes on from the section “{before}”, whose steps come before these." if before else "The page begins here."
    )
    return _cut(f"{first} {after} It tells the owner of the product what to do about {about}.", THREE_SENTENCES)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rpartition(" ")[0]


def _sections(passage: str, known: Sequence[Attribute]) -> list[Reply]:
    """Return the lists of steps in a passage, each as a solution under its heading."""
    above = _one(passage, "headings")
    title = above.split(" > ")[-1] or _one(passage, "title")
    found: list[Reply] = []
    together = False
    for line in _one(passage, "text").split("\n"):
        item = _ITEM.match(line)
        if heading := _HEADING.match(line):
            title = heading[1]
        if item and not together:
            values = {a.field: a.said(f"{above} {title}") or ["Any"] for a in known}
            found.append({"title": title[:110], "attributes": values, "steps": []})
        if item:
            found[-1]["steps"].append({"places": [int(item[1])], "text": ""})
        together = bool(item) or (together and not line.strip())
    return [{**section, "steps": section["steps"][:STEPS]} for section in found]


def _own_lines(ranges: str, sections: Sequence[Reply]) -> list[Reply]:
    """Return the sections with those of their steps that are among an issue's lines; all where it names none."""
    if not ranges:
        return list(sections)
    lines: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", ranges):
        lines.update(range(int(first), int(last or first) + 1))
    kept = ({**s, "steps": [step for step in s["steps"] if lines.issuperset(step["places"])]} for s in sections)
    return [section for section in kept if section["steps"]]


def _for_one(draft: Reply, fixed: Mapping[str, str]) -> Reply:
    """Return a solution as it is written where one issue is seen alone: its title names the issue's own case."""
    case = ", ".join(value for value in fixed.values() if value != "Any")
    return {"title": f"{draft['title']} ({case})" if case else draft["title"], "steps": draft["steps"]}


def _suits(section: Reply, fixed: Mapping[str, str]) -> bool:
    """Return whether a solution is not for others than an issue that is fixed to these values."""
    for name, values in section["attributes"].items():
        given = fixed.get(name, "Any").split(", ")
        if values != ["Any"] and given != ["Any"] and not set(values) & set(given):
            return False
    return True


def _usual(section: Reply) -> tuple[bool, int]:
    """Order solutions so that nodes which were given the same passages name the same: first those for everybody."""
    return any(values != ["Any"] for values in section["attributes"].values()), section["steps"][0]["places"][0]


def _chosen(found: Sequence[Reply], many: int, own: int) -> list[Reply]:
    """Return so many solutions that differ: the first ones, after the one at the place ``own`` where that is not 0."""
    chosen: dict[str, Reply] = {}
    for section in (*found[own : own + 1], *found) if own else found:
        chosen.setdefault(json.dumps([step["places"] for step in section["steps"]]), section)
        if len(chosen) == many:
            break
    return list(chosen.values())


reply = ScriptedModel()
