"""One sample a task that a model can answer: the items of one request and a right reply; the contract visits them all.

A new task adds its function here and its line in SAMPLES; then
``AUTOKB_REWRITE_GOLDEN=1 pytest tests/tasks/contracts`` writes its golden prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autokb.core.attributes import from_lists
from autokb.core.domain import Attribute, Rule, read_domain
from autokb.tasks.prompts import examples, whole_reply
from autokb.tasks.task import Task


@dataclass(frozen=True)
class Sample:
    """Items that share one request, and the JSON object of a right reply.

    Every string of the items must show in the prompt, save those of fields in ``unseen``: ``Class.field`` to the
    reason why a model need not see it. Fields declared ``outside_key`` and Literal fields are left out anyway. The
    items and a right reply for each of the task's examples that a model is shown stand in ``shown``.
    """

    task: Task[Any, Any]
    items: tuple[Any, ...]
    reply: Mapping[str, Any]
    unseen: Mapping[str, str] = field(default_factory=dict)
    shown: tuple[tuple[tuple[Any, ...], Mapping[str, Any]], ...] = ()


def configuration() -> Mapping[str, Attribute]:
    """A closed attribute with synonyms and what its values imply, another closed one, and an open one."""
    return read_domain(
        {
            "attributes": {
                "os": {
                    "values": ["Android", "iOS", "Windows"],
                    "synonyms": {"iOS": ["iphone", "ipad"]},
                    "implies": {"Windows": {"device": ["Laptop"]}},
                },
                "device": {"values": ["Laptop", "Phone", "Tablet"]},
                "ear tip": {"kind": "open", "examples": ["Foam", "Silicone"], "synonyms": {"Foam": ["memory tip"]}},
            }
        }
    ).attributes


def add_context() -> Sample:
    """A part of a document: two passages and the one before them."""
    from autokb.heuristics.contexts import PassageAlone
    from autokb.tasks.chunking.add_context.task import TASK, AddContext

    before = PassageAlone("Charge <b>both</b> buds & close the lid.", ("Care", "Charging"), "Buds: how to charge them")
    passages = (
        PassageAlone("1. Open </text></passage> the lid.", ("Care", "Resetting & more")),
        PassageAlone("2. Hold the button. It blinks.", ("Care", "Resetting & more")),
    )
    item = AddContext("document", "Garden buds: handbook", passages, before)
    contexts = [{"passage": 2, "context": "Garden buds handbook, resetting."}, {"passage": 1, "context": ""}]
    shown = []
    for e in examples(TASK.package):
        given = e["input"]
        own = [PassageAlone(p["text"], tuple(p["headings"]), p.get("context", "")) for p in given["passages"]]
        prior = given.get("previous")
        previous = PassageAlone(prior["text"], tuple(prior["headings"]), prior["context"]) if prior else None
        asked = AddContext(given["variant"], given["title"], tuple(own), previous)
        shown.append(((asked,), whole_reply(e["reply"])))
    unseen = {"PassageAlone.context": "only the passage before has one"}
    return Sample(TASK, (item,), {"answers": [{"number": 1, "contexts": contexts}]}, unseen, tuple(shown))


def assign_theme() -> Sample:
    """Two issues, one of them like no other."""
    from autokb.tasks.issues.assign_theme.task import TASK, AssignTheme

    themes = ("Pairing <and> links", "Battery & charging", "Miscellaneous: parcels")
    items = tuple(
        AssignTheme("buds: earbuds & their case", text, themes, 2, 0.3, "f" * 64)
        for text in ("The case </issue> stays cold", "Where is my parcel?")
    )
    reply = {"answers": [{"number": 1, "theme": 2}, {"number": 2, "theme": 3}]}
    unseen = {"AssignTheme.fingerprint": "it stands for the centres, which only vectors have"}
    shown = tuple(
        ((AssignTheme("", e["issue"], tuple(e["themes"])),), whole_reply(e["reply"])) for e in examples(TASK.package)
    )
    return Sample(TASK, items, reply, unseen, shown)


def check_rules() -> Sample:
    """Two solutions and three rules: one broken, one kept, one that has nothing to do with them."""
    from autokb.tasks.issues.check_rules.task import TASK, CheckRules

    def asked(issue: str, title: str, steps: tuple[str, ...], rules: tuple[Rule, ...]) -> CheckRules:
        return CheckRules("buds: earbuds & their case", issue, title, steps, "\n".join((title, *steps)), rules)

    rules = (
        Rule("no-shop", "Send nobody to a <shop>.", (r"\bshops?\b",)),
        Rule("no-acid", "Name no acids & solvents."),
        Rule("no-volume", "Do not say how loud to listen."),
    )
    items = (
        asked("The mesh </issue> is dirty", "Clean the mesh", ("Brush it.", "Rub it with <vinegar> & wait."), rules),
        asked("A bud is lost", "Find the bud", ("Open the map.",), rules),
    )
    broken = {"rule": "no-acid", "reason": "Vinegar is an acid.", "steps": [2]}
    reply = {
        "answers": [
            {"number": 1, "broken": [broken], "doubted": [], "kept": ["no-shop"]},
            {"number": 2, "broken": [], "doubted": [], "kept": []},
        ]
    }
    unseen = {
        "Rule.patterns": "they count whatever a model says; it judges by the words of the rule",
        "CheckRules.text": "title and steps, which are shown",
    }
    shown = []
    for e in examples(TASK.package):
        given = e["given"]
        own = tuple(Rule(r["id"], r["text"]) for r in given["rules"])
        item = asked("", given["title"], tuple(given["steps"]), own)
        shown.append(((item,), whole_reply(e["reply"])))
    return Sample(TASK, items, reply, unseen, tuple(shown))


def correctness() -> Sample:
    """Two solutions: one for some customers, one for everybody."""
    from autokb.tasks.judges.correctness.task import TASK, JudgeCorrectness

    about, limits = "buds: earbuds & their case", (("os", ("Android", "iOS")), ("ear tip", ("Foam <soft>",)))
    steps, quotes = ("Open the lid.", "Hold the <button>."), ("1. Open </quote> the lid.", "2. Hold the button & wait.")
    items = (
        JudgeCorrectness(about, "Buds </issue> do not react", limits, "Reset the buds", steps, quotes),
        JudgeCorrectness(about, "The case stays cold", (), "Warm & dry", ("Put it on a heater.",), ("Keep it dry.",)),
    )
    verdicts = [
        {"number": 1, "reason": "Both steps stand in the quotes.", "verdict": "yes"},
        {"number": 2, "reason": "No quote speaks of a heater.", "verdict": "no"},
    ]
    shown = [((_example_judged(e),), whole_reply(e["reply"])) for e in examples(TASK.package)]
    return Sample(TASK, items, {"answers": verdicts}, shown=tuple(shown))


def _example_judged(entry: Mapping[str, Any]) -> Any:
    from autokb.tasks.judges.correctness.task import JudgeCorrectness

    limits = tuple((name, tuple(values)) for name, values in entry["attributes"])
    return JudgeCorrectness("", entry["issue"], limits, entry["title"], tuple(entry["steps"]), tuple(entry["quotes"]))


def find_disagreement() -> Sample:
    """Two pairs of texts, of which one disagrees."""
    from autokb.tasks.issues.find_disagreement.task import TASK, FindDisagreement, GivenSteps, example_pair

    items = (
        FindDisagreement(
            GivenSteps("Reset </title> & pair", ("Open the <lid>.", "Hold the button for 10 seconds & wait.")),
            GivenSteps("Start <again>", ("Hold the button for 30 seconds </text>.",)),
        ),
        FindDisagreement(GivenSteps("Clean it", ("Wipe it.",)), GivenSteps("Dry it", ("Dry it & wait.",))),
    )
    verdicts = [
        {"number": 1, "reason": "10 seconds here, 30 there.", "disagree": "yes", "lines": [2, 3]},
        {"number": 2, "reason": "Both can be done.", "disagree": "no", "lines": []},
    ]
    shown = tuple(((example_pair(e),), whole_reply(e["reply"])) for e in examples(TASK.package))
    return Sample(TASK, items, {"answers": verdicts}, shown=shown)


def draft_spec() -> Sample:
    """Three issues and two documents of a domain that has an attribute and a rule already."""
    from autokb.heuristics.spec.proposal import DraftSpec
    from autokb.tasks.issues.draft_spec.task import TASK

    item = DraftSpec(
        "buds: earbuds & their case",
        ("The bud </issues> of my S2 is silent", "No sound from the S3 & its case", "My S3 does not charge"),
        (("Garden buds: charging", "The S2 charges by <cable>."), ("Garden buds: sound", "On an S3, hold the button.")),
        (("os", ("Android", "iOS & iPadOS")),),
        (("no-shop", "Send nobody to a <shop>."),),
    )
    bud = {
        "name": "bud_model",
        "why": "The S2 and the S3 charge in different ways.",
        "issues": [1, 2, 3],
        "kind": "closed",
        "values": ["S2", "S3"],
        "synonyms": [{"value": "S2", "words": ["second series"]}],
        "examples": [],
    }
    rule = {"id": "no-acid", "text": "Name no acids.", "why": "Contacts corrode."}
    reply = {"answers": [{"number": 1, "attributes": [bud], "rules": [rule]}]}
    shown = []
    for e in examples(TASK.package):
        asked = DraftSpec(e["domain"], tuple(e["issues"]), tuple((title, text) for title, text in e["documents"]))
        shown.append(((asked,), whole_reply(e["reply"])))
    return Sample(TASK, (item,), reply, shown=tuple(shown))


def extract_attributes() -> Sample:
    """Two issues: one that says much, one that says that an attribute does not apply."""
    from autokb.tasks.issues.extract_attributes.task import TASK, ExtractAttributes

    spec = configuration()
    texts = (
        "The foam tips fall off & my Windows PC hears nothing",
        "Case only, no tips: the <lid> is loose on any device",
    )
    first = {"os": ["Windows"], "device": ["Laptop"], "ear_tip": ["Foam"]}
    second = {"os": [], "device": ["Any"], "ear_tip": ["NONE"]}
    reply = {"answers": [{"number": 1, "attributes": first}, {"number": 2, "attributes": second}]}
    shown = []
    for entry in examples(TASK.package):
        own = read_domain({"attributes": entry["domain"]}).attributes
        asked = tuple(ExtractAttributes(text, "issue", own, scratchpad=True) for text in entry["texts"])
        shown.append((asked, entry["reply"]))
    items = tuple(ExtractAttributes(text, "issue", spec, domain="Headphones <of> one maker & more") for text in texts)
    return Sample(TASK, items, reply, {}, tuple(shown))


def find_shift() -> Sample:
    """Paragraphs of a document, the last of them about something else."""
    from autokb.tasks.chunking.find_shift.task import TASK, FindShift

    texts = ("Charge the <case> & wait.", "A full case lasts </paragraph> a week.", "Parcels come on Monday.")
    shown = tuple(
        ((FindShift(e["title"], tuple(e["paragraphs"])),), whole_reply(e["reply"])) for e in examples(TASK.package)
    )
    item = FindShift("Garden buds: <handbook>", texts)
    return Sample(TASK, (item,), {"answers": [{"number": 1, "at": 3}]}, shown=shown)


def find_splits() -> Sample:
    """Pieces of a document that are about three things."""
    from autokb.tasks.chunking.find_splits.task import TASK, FindSplits

    texts = ("Charge the <case> & wait.", "It blinks.", "Parcels come </piece> on Monday.", "## Cleaning")
    shown = tuple(
        ((FindSplits(e["title"], tuple(e["pieces"])),), whole_reply(e["reply"])) for e in examples(TASK.package)
    )
    item = FindSplits("Garden buds: <handbook>", texts)
    return Sample(TASK, (item,), {"answers": [{"number": 1, "after": [2, 3]}]}, shown=shown)


def find_themes() -> Sample:
    """Three issues of two themes, one of them miscellaneous."""
    from autokb.tasks.issues.find_themes.task import TASK, FindThemes

    issues = ("Left bud </issues> is silent", "Both buds are silent & cold", "Do you sell umbrellas?")
    item = FindThemes("buds: earbuds & their case", issues, None, ("bud is silent", "are silent", "sell umbrellas"))
    themes = [
        {"name": "Sound: silent buds", "examples": [1, 2], "miscellaneous": False},
        {"name": "Miscellaneous: umbrellas", "examples": [3], "miscellaneous": True},
    ]
    unseen = {
        "FindThemes.subjects": "a model reads the issues as they are and tells the problem from its attributes",
        "FindThemes.sorts_all": "it chooses what is asked for",
    }
    shown = tuple(((FindThemes("", tuple(e["shown"])),), e["reply"]) for e in examples(TASK.package))
    return Sample(TASK, (item,), {"answers": [{"number": 1, "themes": themes}]}, unseen, shown)


def grow_tree() -> Sample:
    """A seed with a report of its cluster and one of its theme."""
    from autokb.heuristics.trees.grow import Report
    from autokb.tasks.issues.grow_tree.task import TASK, GrowTree

    item = GrowTree(
        domain="buds: earbuds & their case",
        issue="Buds </seed> drop out on my iPhone",
        text="Hello, they drop out & <come> back.",
        attributes=from_lists({"os": ["iOS"]}),
        configuration=configuration(),
        cluster=(
            Report("raw-1", "Buds drop out on an iPhone", from_lists({"os": ["iOS"]}), "They are gone & come back"),
            Report("raw-2", "Drop-outs with Windows", from_lists({"os": ["Windows"], "device": ["Laptop"]})),
        ),
        theme=(Report("raw-3", "Foam tips muffle the voice", from_lists({"ear tip": ["Foam"]})),),
    )
    every = {"os": ["Any"], "device": ["Any"], "ear_tip": ["Any"]}
    children = [
        {"text": "Buds drop out on an iPhone", "attributes": {**every, "os": ["iOS"]}, "reports": [1]},
        {
            "text": "Buds drop out on Windows",
            "attributes": {**every, "os": ["Windows"], "device": ["Laptop"]},
            "reports": [2],
        },
    ]
    reply = {"number": 1, "parent": {"text": "Buds drop out", "attributes": every}, "children": children}
    shown = tuple(((_example_tree(entry["input"]),), whole_reply(entry["reply"])) for entry in examples(TASK.package))
    unseen = {"Report.raw_issue": "a model names reports by number"}
    return Sample(TASK, (item,), {"answers": [reply]}, unseen, shown)


def _example_tree(given: Mapping[str, Any]) -> Any:
    from autokb.heuristics.trees.grow import Report
    from autokb.tasks.issues.grow_tree.task import GrowTree

    spec = read_domain({"attributes": given["configuration"]}).attributes
    cluster = tuple(Report(r["raw_issue"], r["headline"], from_lists(r["attributes"])) for r in given["cluster"])
    return GrowTree(given["domain"], given["issue"], "", from_lists(given["attributes"]), spec, cluster)


def grow_trees() -> Sample:
    """Two clusters, one of them of two problems, with what was reported near it and what the manuals distinguish."""
    from autokb.heuristics.trees.grow import Report
    from autokb.tasks.issues.grow_trees.task import TASK, GrowTrees, example_clusters

    domain, spec = "buds: earbuds & their case", configuration()
    mixed = GrowTrees(
        domain,
        spec,
        (
            Report("raw-1", "Buds </cluster> drop out. They are gone & <come> back.", from_lists({"os": ["iOS"]})),
            Report("raw-2", "Drop-outs with Windows", from_lists({"os": ["Windows"], "device": ["Laptop"]})),
            Report("raw-3", "The case does not close", {}),
        ),
        (Report("raw-4", "Foam tips muffle the voice", from_lists({"ear tip": ["Foam"]})),),
        ("Drop-outs > On Android [os: Android]", "The lid & the <case>"),
    )
    alone = GrowTrees(domain, spec, (Report("raw-5", "Windows update broke </near> the buds", {}),))
    drops: dict[str, Any] = {
        "parent": {"text": "Buds drop out", "attributes": [], "reports": []},
        "children": [
            {"text": "Buds drop out on iOS", "attributes": [{"name": "os", "values": ["iOS"]}], "reports": [1]},
            {"text": "Buds drop out on Windows", "attributes": [{"name": "os", "values": ["Windows"]}], "reports": [2]},
            {"text": "Buds drop out on Android", "attributes": [{"name": "os", "values": ["Android"]}], "reports": []},
        ],
    }
    lid = {"parent": {"text": "The case does not close", "attributes": [], "reports": [3]}, "children": []}
    update = {"text": "Windows update broke buds", "attributes": [{"name": "os", "values": ["Windows"]}], "reports": []}
    answers = [{"number": 1, "trees": [drops, lid]}, {"number": 2, "trees": [{"parent": update, "children": []}]}]
    shown = tuple((tuple(example_clusters(entry)), entry["reply"]) for entry in examples(TASK.package))
    unseen = {
        "Report.raw_issue": "a model names reports by number",
        "Report.sentence": "its headline is the whole excerpt",
    }
    return Sample(TASK, (mixed, alone), {"answers": answers}, unseen, shown)


def merge_parents() -> Sample:
    """Two groups of parents, in one of which two are the same problem."""
    from autokb.tasks.issues.merge_parents.task import TASK, MergeParents, ParentText, example_groups

    domain = "buds: earbuds & their case"
    windows = ParentText("Buds drop out on Windows", from_lists({"os": ["Windows"]}))
    doubles = (ParentText("Buds </group> drop out"), ParentText("One bud is quiet & <dull>"), windows)
    others = (ParentText("The lid is loose"), ParentText("The lid is lost"))
    reply = {"answers": [{"number": 1, "same": [[1, 3]]}, {"number": 2, "same": []}]}
    shown = [
        (tuple(MergeParents(entry["domain"], group) for group in example_groups(entry)), entry["reply"])
        for entry in examples(TASK.package)
    ]
    items = (MergeParents(domain, doubles), MergeParents(domain, others))
    return Sample(TASK, items, reply, shown=tuple(shown))


def merge_blocks() -> Sample:
    """A window of a page below a heading."""
    from autokb.tasks.chunking.merge_blocks.task import TASK, MergeBlocks, Paragraph

    paragraphs = (
        Paragraph(11, "[Shop](…) & more"),
        Paragraph(12, "## Reset </p12> the buds"),
        Paragraph(13, "1. Open the <lid>."),
        Paragraph(14, "Share & follow"),
    )
    item = MergeBlocks("Garden buds: <handbook>", ("Care & cleaning",), paragraphs)
    noise = [{"first": 11, "last": 11, "kind": "menu"}, {"first": 14, "last": 14, "kind": "sharing"}]
    reply = {"answers": [{"number": 1, "ranges": [[12, 13]], "noise": noise}]}
    shown = []
    for e in examples(TASK.package):
        page = tuple(Paragraph(p["number"], p["text"], p.get("asked", True)) for p in e["page"])
        asked = MergeBlocks(e["title"], (), page, bool(e.get("rules_first")))
        shown.append(((asked,), whole_reply(e["reply"])))
    return Sample(TASK, (item,), reply, shown=tuple(shown))


def query_variations() -> Sample:
    """Two texts, one of them with synonyms."""
    from autokb.tasks.probes.query_variations.task import LEVELS, TASK, VaryQuery

    items = (
        VaryQuery("Buds </text> do not react", "Garden & buds", (("Buds", ("ear <buds>", "pods")), ("react", ("do",)))),
        VaryQuery("The case stays cold", "", ()),
    )
    answers = [{"number": n, **{level: [f"{level} {k} of {n}" for k in range(5)] for level in LEVELS}} for n in (1, 2)]
    shown = [((VaryQuery(e["text"], e["context"]),), whole_reply(e["reply"])) for e in examples(TASK.package)]
    return Sample(TASK, items, {"answers": answers}, shown=tuple(shown))


def _judged_chunks(name: str) -> Sample:
    """Two chunks of which one word is said; the examples are shown as they stand in their file."""
    from autokb.tasks.judges.chunk_verdicts import JudgeChunk
    from autokb.tasks.registry import task

    texts = ("# Care & </chunk> cleaning\n\nWipe the buds.", "3. Then dry <them> & close the lid.")
    items = tuple(JudgeChunk(text) for text in texts)
    reply = {"answers": [{"number": 1, "verdict": "no"}, {"number": 2, "verdict": "yes"}]}
    judge = task(f"judges/{name}")
    shown = tuple((tuple(map(JudgeChunk, e["chunks"])), e["reply"]) for e in examples(judge.package))
    return Sample(judge, items, reply, shown=shown)


def noise() -> Sample:
    """Two chunks, one of them noise."""
    return _judged_chunks("noise")


def completeness() -> Sample:
    """Two chunks, one of them complete."""
    return _judged_chunks("completeness")


def context_switch() -> Sample:
    """Two chunks, one of which switches."""
    return _judged_chunks("context_switch")


def task_relevance() -> Sample:
    """Two chunks and the task they are judged for."""
    from autokb.tasks.judges.task_relevance.task import TASK, JudgeForTask

    task = "Help for owners of buds & their <case>"
    items = tuple(JudgeForTask(task, text) for text in ("Wipe </task> the mesh.", "Buy two & save!"))
    reply = {"answers": [{"number": 1, "verdict": "yes"}, {"number": 2, "verdict": "no"}]}
    shown = [(tuple(JudgeForTask("", text) for text in e["chunks"]), e["reply"]) for e in examples(TASK.package)]
    return Sample(TASK, items, reply, shown=tuple(shown))


def relevance() -> Sample:
    """A question and two chunks that were found for it."""
    from autokb.tasks.judges.relevance.task import TASK, JudgeRelevance

    query = "How do I clean the <mesh> & the tips?"
    items = tuple(JudgeRelevance(query, text) for text in ("Wipe </query> the mesh.", "The case is white & flat."))
    scores = [
        {"number": 1, "reason": "It says how the mesh is cleaned, not the tips.", "score": 2},
        {"number": 2, "reason": "It only describes the case.", "score": 0},
    ]
    shown = [
        (tuple(JudgeRelevance(e["query"], text) for text in e["chunks"]), e["reply"]) for e in examples(TASK.package)
    ]
    return Sample(TASK, items, {"answers": scores}, shown=tuple(shown))


def chunk_questions() -> Sample:
    """Two chunks of one document."""
    from autokb.tasks.probes.chunk_questions.task import QUESTIONS, TASK, AskAboutChunks

    item = AskAboutChunks(("# Care & </chunk> cleaning\n\nWipe the buds.", "Dry <them> & close the lid."))
    questions = [f"What do I do with part {n} of the buds?" for n in range(QUESTIONS)]
    shown = [((AskAboutChunks(tuple(e["chunks"])),), whole_reply(e["reply"])) for e in examples(TASK.package)]
    return Sample(TASK, (item,), {"answers": [{"number": 1, "questions": questions}]}, shown=tuple(shown))


def unaided_solutions() -> Sample:
    """Two issues, one of them with two solutions."""
    from autokb.tasks.probes.unaided_solutions.task import TASK, SolveByLLMOnly

    issues = ("Buds </issue> do not react", "The case stays cold & dark")
    items = tuple(SolveByLLMOnly("buds: earbuds & their <case>", issue) for issue in issues)
    reset = {"title": "Reset the buds", "steps": ["Open the lid.", "Hold the button."]}
    dry = {"title": "Dry the case", "steps": ["Wipe its contacts."]}
    reply = {"answers": [{"number": 1, "solutions": [reset]}, {"number": 2, "solutions": [dry, reset]}]}
    shown = [((SolveByLLMOnly(e["domain"], e["issue"]),), whole_reply(e["reply"])) for e in examples(TASK.package)]
    return Sample(TASK, items, reply, shown=tuple(shown))


def write_solutions() -> Sample:
    """A parent and its child: they share a passage and a solution, and one passage is the child's only."""
    from autokb.heuristics.solutions.solution import Excerpt, WriteSolutions
    from autokb.tasks.issues.write_solutions.task import TASK

    shared = Excerpt("reset.md", "Garden buds: reset", ("Care",), "1. Open </text> the lid.\n2. Hold the button.\n")
    own = Excerpt("ios.md", "Garden buds & iPhones", (), "On an iPhone, remove the buds under Bluetooth.")

    def node(issue: str, attributes: Mapping[str, list[str]], *excerpts: Excerpt) -> WriteSolutions:
        rules = ("Send nobody to a <shop>.", "Name no acids & solvents.")
        given = from_lists(attributes)
        return WriteSolutions(issue, given, "buds: earbuds & their case", configuration(), rules, excerpts, "tree-1")

    items = (
        node("Buds </issue> do not react", {"os": ["Any"]}, shared),
        node("Buds do not react to an iPhone", {"os": ["iOS"], "ear tip": ["Foam"]}, own, shared),
    )
    every = {"os": ["Any"], "device": ["Any"], "ear_tip": ["Any"]}
    solutions = [
        {
            "id": 1,
            "title": "Hold the button",
            "attributes": every,
            "steps": [
                {"places": [1], "text": "Open the lid."},
                {"places": [2], "text": ""},
            ],
        },
        {
            "id": 2,
            "title": "Remove the buds",
            "attributes": {**every, "os": ["iOS"]},
            "steps": [{"places": [3], "text": ""}],
        },
    ]
    reply = {
        "solutions": solutions,
        "answers": [{"number": 1, "solutions": [1]}, {"number": 2, "solutions": [2, 1]}],
    }
    unseen = {
        "Excerpt.document": "a model names places by number",
        "Excerpt.switches": "they stand in the text as they are",
        "Excerpt.text": "it is shown in numbered lines (test_write_solutions_places.py)",
    }
    shown = tuple((_example_nodes(e), e["reply"]) for e in examples(TASK.package))
    return Sample(TASK, items, reply, unseen, shown)


def _example_nodes(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    from autokb.heuristics.solutions.solution import Excerpt, WriteSolutions
    from autokb.text.conditional_markup import find_conditionals

    spec = read_domain({"attributes": {"os": {"values": ["Windows", "macOS"]}}}).attributes
    passages = [
        Excerpt(
            f"{n}.md",
            p["title"],
            (p["headings"],) if p["headings"] else (),
            p["text"],
            tuple(find_conditionals(p["text"])),
        )
        for n, p in enumerate(entry["passages"])
    ]
    nodes = []
    for issue in entry["issues"]:
        name, _, value = issue["attributes"].partition(": ")
        given = from_lists({name: [value]})
        node = WriteSolutions(issue["text"], given, "", spec, (), tuple(passages), tree="tree", scratchpad=True)
        nodes.append(node)
    return tuple(nodes)


def draft_template() -> Sample:
    """Two headings and a field beside a template of two sections."""
    from autokb.plugins.tickets.heuristics.template_draft import (
        CountedField,
        CountedHeading,
        DraftTemplate,
        KnownSection,
    )
    from autokb.plugins.tickets.tasks.draft_template.task import TASK

    item = DraftTemplate(
        200,
        (
            CountedHeading("what you <hear>", 40, "description", "noise & sound"),
            CountedHeading("how to trigger it", 22, "comments"),
        ),
        (CountedField("Series & year", 150, ("K1 </fields>", "K2"), True),),
        (KnownSection("summary", "ticket", ("title & more",)), KnownSection("description", "ticket", ("details",))),
    )
    sections = [
        {"name": "symptom", "parent": "description", "headings": [1], "fields": [], "why": "It is asked for."},
        {"name": "series", "parent": "ticket", "headings": [], "fields": [1], "why": "Fixes differ by it."},
    ]
    shown = []
    for e in examples(TASK.package):
        headings = tuple(CountedHeading(h, 9, "description") for h in e["headings"])
        fields = tuple(CountedField(f, 9, (), True) for f in e["fields"])
        asked = DraftTemplate(99, headings, fields, (KnownSection("description", "ticket", ()),))
        shown.append(((asked,), whole_reply(e["reply"])))
    return Sample(TASK, (item,), {"answers": [{"number": 1, "sections": sections}]}, shown=tuple(shown))


def from_tickets() -> Sample:
    """A question, and passages of two tickets."""
    from autokb.plugins.tickets.heuristics.answer_from import FromTickets, TicketPassage
    from autokb.plugins.tickets.tasks.from_tickets.task import TASK

    item = FromTickets(
        "How was the <lid> fixed & when?",
        (
            TicketPassage(
                "KET-1", "The lid </passage> jams", "Closed & fixed", "fix", "", "Oil the hinge.", 0, "asked"
            ),
            TicketPassage(
                "KET-2", "Lid & spout drip", "Open", "comments", "ann & bob", "Wait & see how it <drips>.", 40, "text"
            ),
        ),
    )
    parts = [{"places": [1], "text": ""}, {"places": [2], "text": "Wait & see how it drips."}]
    shown = []
    for e in examples(TASK.package):
        passages = tuple(TicketPassage(start=0, role="asked", by="", **passage) for passage in e["passages"])
        shown.append(((FromTickets(e["question"], passages),), whole_reply(e["reply"])))
    return Sample(TASK, (item,), {"answers": [{"number": 1, "parts": parts}]}, shown=tuple(shown))


def parse_query() -> Sample:
    """A question about a template of two sections and a field."""
    from autokb.plugins.tickets.heuristics.section_meaning import SectionMeaning
    from autokb.plugins.tickets.tasks.parse_query.task import TASK, FieldValues, ParseQuery

    def asked(question: str, names: Sequence[str], fields: Mapping[str, Sequence[str]], links: Sequence[str]) -> Any:
        sections = tuple(SectionMeaning(name, (f"{name} & more",)) for name in names)
        values = tuple(FieldValues(name, tuple(known)) for name, known in fields.items())
        return ParseQuery(question, sections, values, tuple(links), "f" * 64)

    item = asked(
        "Why does the <lid> jam on K1 & K2?", ("summary", "root_cause", "series"), {"series": ["K1", "K2"]}, ["twins"]
    )
    entry = {
        "number": 1,
        "entities": [{"section": "summary", "value": "the lid jam"}],
        "intents": ["root_cause"],
        "filters": [{"section": "series", "value": "K1"}],
        "links": ["twins"],
    }
    shown = [
        ((asked(e["question"], e["sections"], e["fields"], e["links"]),), whole_reply(e["reply"]))
        for e in examples(TASK.package)
    ]
    unseen = {"ParseQuery.fingerprint": "it stands for the template's cues, which only the offline reader reads"}
    return Sample(TASK, (item,), {"answers": [entry]}, unseen, tuple(shown))


def read_sections() -> Sample:
    """Two tickets, one of them with a description and a comment."""
    from autokb.plugins.tickets.heuristics.section_meaning import SectionMeaning
    from autokb.plugins.tickets.tasks.read_sections.task import TASK, ReadSections, UnreadText, example_item

    sections = (SectionMeaning("steps", ("how <to> get it",)), SectionMeaning("fix", ("solution & remedy",)))
    items = (
        ReadSections(
            "The lid </ticket> jams",
            (
                UnreadText("description", ("steps",), "Fill it & then <open> the lid."),
                UnreadText("comments", ("fix",), "Oil the hinge."),
            ),
            sections,
        ),
        ReadSections("It drips", (UnreadText("description", ("steps",), "From the spout."),), sections),
    )
    reply = {
        "answers": [
            {"number": 1, "sections": [{"section": "steps", "blocks": [1]}, {"section": "fix", "blocks": [2]}]},
            {"number": 2, "sections": []},
        ]
    }
    shown = tuple(((example_item(e),), whole_reply(e["reply"])) for e in examples(TASK.package))
    return Sample(TASK, items, reply, shown=shown)


def write_cypher() -> Sample:
    """A question about a ticket of a graph with two sections and two kinds of links."""
    from autokb.plugins.tickets.tasks.write_cypher.task import TASK, GraphPath, NamedRelation, WriteCypher

    def asked(question: str, ticket: str, title: str) -> WriteCypher:
        paths = (
            GraphPath("(t:Ticket)-[:HAS_FIX]->(:Fix)", ("how <to> mend it", "cure & remedy")),
            GraphPath("(t:Ticket)-[:HAS_LOG]->(:Log)", ("output",)),
        )
        links = (NamedRelation("TWIN_OF", "Twin & double"), NamedRelation("SIMILAR_TO", "alike </links>"))
        return WriteCypher(question, ticket, title, ("id", "status & more"), paths, links)

    item = asked("How was the <lid> fixed & when?", "KET-1", "The lid </ticket> jams")
    query = "MATCH (t:Ticket {id: 'KET-1'})-[:HAS_FIX]->(f:Fix) RETURN t.id AS ticket, f.text"
    shown = [
        ((asked(e["question"], e["ticket"], e["title"]),), whole_reply(e["reply"])) for e in examples(TASK.package)
    ]
    reply = {"answers": [{"number": 1, "question": "How was KET-1 fixed & when?", "cypher": query}]}
    return Sample(TASK, (item,), reply, shown=tuple(shown))


NOT_IN_REPLIES = {
    "Message.date": "what is to be replied to is not when it was said",
    "ReplyRules.refusal": "where a model finds nothing, the team's own words are sent",
    "ReplyRules.unanswered": "the same, where the documents leave a question open",
}


def _drafting() -> Any:
    """Return a conversation of two turns, two passages, and a house with manners and a rule."""
    from autokb.core.nouns import Message
    from autokb.core.reply_rules import ReplyRules
    from autokb.heuristics.replies.drafts import Drafting, GivenPassage, ReplyStyle

    said = (Message("customer", "My bud </message> is quiet & dull"), Message("agent", "Which one is it?"))
    passages = (
        GivenPassage("Quiet <buds>", ("1. Wipe the mesh & wait.", "2. Open </passage> the lid.")),
        GivenPassage("Sound", ("Set left and right to 50.",)),
    )
    manners = ReplyRules(25, ("warm & brief",), ("impossible", "<never>"), "Only buds & cases here.")
    house = ReplyStyle("buds: earbuds & their case", manners, ("Send nobody to a <shop>.",))
    return Drafting((*said, Message("customer", "the left one")), passages, house)


def _drafted(number: int) -> Mapping[str, Any]:
    return {"text": f"Please wipe the mesh and wait, {number} of 2.", "lines": [1, 3][:number]}


def _shown_draftings(package: str) -> tuple[tuple[tuple[Any, ...], Mapping[str, Any]], ...]:
    from autokb.tasks.answers.replies_wire import example_drafting

    return tuple(((example_drafting(e),), whole_reply(e["reply"])) for e in examples(package))


def write_replies() -> Sample:
    """A conversation that two replies are written for."""
    from autokb.tasks.answers.write_replies.task import TASK

    reply = {"answers": [{"number": 1, "replies": [_drafted(1), _drafted(2)]}]}
    return Sample(TASK, (_drafting(),), reply, NOT_IN_REPLIES, _shown_draftings(TASK.package))


def extract_quotes() -> Sample:
    """A conversation that quotes are taken for."""
    from autokb.tasks.answers.extract_quotes.task import TASK, Quoting

    def quoting(about: Any) -> Quoting:
        return Quoting(about.conversation, about.passages, about.house.domain)

    reply = {"answers": [{"number": 1, "lines": [3, 1]}]}
    shown = tuple(((quoting(about),), right) for (about,), right in _shown_draftings(TASK.package))
    return Sample(TASK, (quoting(_drafting()),), reply, NOT_IN_REPLIES, shown)


def answer_from_quotes() -> Sample:
    """A conversation that a reply is written for from quotes."""
    from autokb.tasks.answers.answer_from_quotes.task import TASK

    reply = {"answers": [{"number": 1, "replies": [{"text": "Please wipe the mesh and wait.", "lines": [1, 3]}]}]}
    return Sample(TASK, (_drafting(),), reply, NOT_IN_REPLIES, _shown_draftings(TASK.package))


def compose_reply() -> Sample:
    """A conversation that a reply of two sentences is composed for from numbered lines."""
    from autokb.tasks.answers.compose_reply.task import TASK

    sentences = [{"text": "Please wipe the mesh & wait.", "lines": [1]}, {"text": "Set both to 50.", "lines": [3, 2]}]
    reply = {"answers": [{"number": 1, "sentences": sentences}]}
    return Sample(TASK, (_drafting(),), reply, NOT_IN_REPLIES, _shown_draftings(TASK.package))


def draft_and_doubt() -> Sample:
    """A conversation that a reply is written for, with a point to check."""
    from autokb.tasks.answers.draft_and_doubt.task import TASK

    entry = {
        "number": 1,
        "replies": [_drafted(2)],
        "points": ["Left and right are to be 50."],
    }
    return Sample(TASK, (_drafting(),), {"answers": [entry]}, NOT_IN_REPLIES, _shown_draftings(TASK.package))


def verify_draft() -> Sample:
    """A draft with two points, of which one does not hold."""
    from autokb.heuristics.replies.drafts import Verifying
    from autokb.tasks.answers.verify_draft.task import TASK

    about = _drafting()
    draft, points = "Set both to <90> & wait.", ("Both are set to 90.", "One waits </point>.")
    item = Verifying(about.conversation, about.passages, about.house, (draft,), points)
    feedback = [{"point": 1, "holds": "no", "why": "It says 50."}, {"point": 2, "holds": "yes", "why": ""}]
    reply = {"answers": [{"number": 1, "feedback": feedback, "replies": [_drafted(1)]}]}
    shown = tuple(((TASK.example(e),), whole_reply(e["reply"])) for e in examples(TASK.package))
    return Sample(TASK, (item,), reply, NOT_IN_REPLIES, shown)


def next_step() -> Sample:
    """A conversation for which something was looked up."""
    from autokb.tasks.answers.next_step.task import TASK, Deciding, Search, example_deciding

    about = _drafting()
    searches = (Search("quiet <bud> & mesh", about.passages), Search("dull sound", ()))
    item = Deciding(about.conversation, searches, about.house.domain)
    reply = {"answers": [{"number": 1, "action": "answer", "words": "", "small_talk": "none"}]}
    shown = tuple(((example_deciding(e),), whole_reply(e["reply"])) for e in examples(TASK.package))
    return Sample(TASK, (item,), reply, NOT_IN_REPLIES, shown)


def choose_answer() -> Sample:
    """A question with a known problem and two sections, one of them for some readers."""
    from autokb.tasks.answers.choose_answer.task import (
        TASK,
        ChooseAnswer,
        OfferedIssue,
        OfferedSection,
        example_choice,
    )

    about = _drafting()
    sections = (
        OfferedSection("Care & charging: the <case>", {}, ("Charge both </section> buds.", "Close the lid & wait.")),
        OfferedSection("Pairing: on a phone", from_lists({"os": ["iOS"], "ear tip": ["Silicone"]}), ("Open the app.",)),
    )
    issues = (OfferedIssue("The buds </problem> stay silent", ("Sound: reset", "Care & charging")),)
    read = from_lists({"device": ["Phone"]})
    item = ChooseAnswer(about.house.domain, configuration(), about.conversation, read, issues, sections)
    entry = {"attributes": {"os": ["iOS"], "device": [], "ear_tip": []}, "sections": [2, 1], "line": 3, "ask": "os"}
    shown = tuple(((example_choice(e),), whole_reply(e["reply"])) for e in examples(TASK.package))
    return Sample(TASK, (item,), {"answers": [{"number": 1, **entry}]}, NOT_IN_REPLIES, shown)


def short_answer() -> Sample:
    """A question and two passages, one of which answers it."""
    from autokb.tasks.answers.short_answer.task import TASK, AnswerShortly

    passages = ("The <ferry> leaves at nine & comes back at ten.", "The lighthouse </passage> is 31 metres high.")
    item = AnswerShortly("How high is the <lighthouse> & who lives there?", passages)
    reply = {"number": 1, "line": 2, "answer": "31 metres"}
    shown = [
        ((AnswerShortly(e["question"], tuple(e["passages"])),), whole_reply(e["reply"])) for e in examples(TASK.package)
    ]
    return Sample(TASK, (item,), {"answers": [reply]}, shown=tuple(shown))


def reply_correctness() -> Sample:
    """Two suggestions beside the true replies, one of them in a conversation of several messages."""
    from autokb.tasks.judges.reply_correctness.task import TASK, JudgeReply

    long = (("customer", "Buds </message> are silent"), ("agent", "Since when?"), ("customer", "Since <today> & here"))
    items = (
        JudgeReply(long, "Charge <both> buds.", "Charge the buds & wait."),
        JudgeReply((("customer", "The case is hot"),), "Keep it in the shade.", "Put it into </suggestion> the sun."),
    )
    verdicts = [
        {"number": 1, "reason": "Both charge the buds.", "verdict": "correct"},
        {"number": 2, "reason": "The sun is the contrary of shade.", "verdict": "incorrect"},
    ]
    shown = [
        (
            (JudgeReply(tuple((who, text) for who, text in e["messages"]), e["truth"], e["suggestion"]),),
            whole_reply(e["reply"]),
        )
        for e in examples(TASK.package)
    ]
    return Sample(TASK, items, {"answers": verdicts}, shown=tuple(shown))


def consistency() -> Sample:
    """Two suggestions, one of which says more than it cites."""
    from autokb.tasks.judges.consistency.task import TASK, JudgeConsistency

    items = (
        JudgeConsistency("Open the <lid> & wait.", ("1. Open </passage> the lid.", "2. Wait & see.")),
        JudgeConsistency("Put the buds into the oven.", ("Keep the <buds> dry.",)),
    )
    verdicts = [
        {"number": 1, "reason": "Both stand there.", "verdict": "yes"},
        {"number": 2, "reason": "No passage speaks of an oven.", "verdict": "no"},
    ]
    shown = [
        ((JudgeConsistency(e["suggestion"], tuple(e["cited"])),), whole_reply(e["reply"]))
        for e in examples(TASK.package)
    ]
    return Sample(TASK, items, {"answers": verdicts}, shown=tuple(shown))


def question_answer_pairs() -> Sample:
    """A section that answers two things."""
    from autokb.tasks.probes.question_answer_pairs.task import TASK, AskForPairs

    text = "Hold the <button> for 5 seconds & let go. The light </section> blinks blue."
    item = AskForPairs(("Buds: handbook & more", "Reset <all>"), text)
    pairs = [
        {"quote": "Hold the <button> for 5 seconds", "question": "How do I reset?", "reply": "Hold it for 5 seconds."},
        {"quote": "blinks blue.", "question": "Which light comes then?", "reply": "It blinks in blue."},
    ]
    shown = [((AskForPairs(tuple(e["headings"]), e["text"]),), whole_reply(e["reply"])) for e in examples(TASK.package)]
    return Sample(TASK, (item,), {"answers": [{"number": 1, "pairs": pairs}]}, shown=tuple(shown))


SAMPLES: Mapping[str, Callable[[], Sample]] = {
    "answers/answer_from_quotes": answer_from_quotes,
    "answers/choose_answer": choose_answer,
    "answers/compose_reply": compose_reply,
    "answers/draft_and_doubt": draft_and_doubt,
    "answers/extract_quotes": extract_quotes,
    "answers/next_step": next_step,
    "answers/short_answer": short_answer,
    "answers/verify_draft": verify_draft,
    "answers/write_replies": write_replies,
    "chunking/add_context": add_context,
    "chunking/find_shift": find_shift,
    "chunking/find_splits": find_splits,
    "chunking/merge_blocks": merge_blocks,
    "issues/assign_theme": assign_theme,
    "issues/check_rules": check_rules,
    "issues/draft_spec": draft_spec,
    "issues/extract_attributes": extract_attributes,
    "issues/find_disagreement": find_disagreement,
    "issues/find_themes": find_themes,
    "issues/grow_tree": grow_tree,
    "issues/grow_trees": grow_trees,
    "issues/merge_parents": merge_parents,
    "issues/write_solutions": write_solutions,
    "judges/completeness": completeness,
    "judges/consistency": consistency,
    "judges/context_switch": context_switch,
    "judges/correctness": correctness,
    "judges/noise": noise,
    "judges/relevance": relevance,
    "judges/reply_correctness": reply_correctness,
    "judges/task_relevance": task_relevance,
    "probes/chunk_questions": chunk_questions,
    "probes/query_variations": query_variations,
    "probes/question_answer_pairs": question_answer_pairs,
    "probes/unaided_solutions": unaided_solutions,
    "tickets/draft_template": draft_template,
    "tickets/from_tickets": from_tickets,
    "tickets/parse_query": parse_query,
    "tickets/read_sections": read_sections,
    "tickets/write_cypher": write_cypher,
}
