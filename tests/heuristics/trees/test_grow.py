"""Which parent and children grow from reports."""

from __future__ import annotations

from autokb.core.attributes import ANY, NONE, from_lists
from autokb.core.domain import DomainSpec, read_domain
from autokb.heuristics.attributes.extract import names_value
from autokb.heuristics.trees.grow import Report, Tree, TreeNode, grow_tree

SPEC = read_domain(
    {
        "attributes": {
            "os": {
                "values": ["Windows", "Mac", "Linux"],
                "synonyms": {"Mac": ["macbook"], "Windows": ["win10"]},
                "implies": {"Linux": {"shop": ["Direct"]}},
            },
            "provider": {"kind": "open", "examples": ["Gmail", "Yahoo"], "synonyms": {"Gmail": ["gmail.com"]}},
            "shop": {"values": ["Direct", "Retail"]},
        }
    }
)


def report(raw: str, line: str, sentence: str = "", **attributes: list[str]) -> Report:
    return Report(raw, line, from_lists(attributes), sentence)


def grown(*cluster: Report, spec: DomainSpec = SPEC) -> Tree:
    return grow_tree(cluster[0], spec.attributes, cluster)


def fixed(node: TreeNode) -> dict[str, list[str]]:
    return {name: sorted(values) for name, values in node.attributes.items() if values != ANY}


def test_the_parent_keeps_what_its_text_cannot_do_without() -> None:
    tree = grown(report("a", "Windows update broke printing", os=["Windows"]))
    assert (tree.parent.text, fixed(tree.parent)) == ("Windows update broke printing", {"os": ["Windows"]})
    assert tree.children == ()


def test_a_question_mark_alone_says_no_problem() -> None:
    tree = grown(report("a", "Which folder?"), report("b", "Folder crashes"), report("c", "Folder crashes daily"))
    assert tree.parent.text == "Folder crashes"


def test_where_reports_disagree_the_parent_takes_a_wording_that_holds_for_all() -> None:
    tree = grown(
        report("a", "Windows update broke printing", os=["Windows"]),
        report("b", "Printing is broken after an update", os=["Mac"]),
    )
    assert (tree.parent.text, fixed(tree.parent)) == ("Printing is broken after an update", {})
    assert tree.parent.raw_issues == ("a", "b")


def test_what_fails_loses_the_name_of_one_customers_product() -> None:
    tree = grown(
        report("a", "My Windows lamp flickers while I type", os=["Windows"]),
        report("b", "Mac flickers at every bump", os=["Mac"]),
    )
    assert (tree.parent.text, fixed(tree.parent)) == ("Flickers at every bump", {})


def test_where_no_wording_holds_for_all_the_parent_keeps_the_set_of_values() -> None:
    tree = grown(
        report("a", "Windows update broke printing", os=["Windows"]),
        report("b", "Mac update broke printing", os=["Mac"]),
    )
    assert fixed(tree.parent) == {"os": ["Mac", "Windows"]}
    assert {tuple(c.attributes["os"]) for c in tree.children} == {("Mac",), ("Windows",)}


def test_the_parent_holds_widely_even_where_all_reports_say_one_value() -> None:
    tree = grown(*(report(f"r{n}", "Folders vanish on Windows", os=["Windows"]) for n in range(5)))
    assert (tree.parent.text, fixed(tree.parent)) == ("Folders vanish", {})
    assert [(c.text, fixed(c)) for c in tree.children] == [("Folders vanish on Windows", {"os": ["Windows"]})]


def test_attribute_words_alone_are_no_issue() -> None:
    tree = grown(report("a", "Windows 10", os=["Windows"]), report("b", "Folders vanish on my Mac", os=["Mac"]))
    assert (tree.parent.text, fixed(tree.parent)) == ("Folders vanish", {})
    alone = grown(report("a", "Windows 10", os=["Windows"]))
    assert (alone.parent.text, fixed(alone.parent)) == ("Windows 10", {"os": ["Windows"]})


def test_the_wording_that_fixes_least_and_is_most_usual_names_the_tree() -> None:
    tree = grown(
        report("a", "Macbook folders vanish", os=["Mac"]),
        report("b", "Since the holiday everything in there is gone"),
        report("c", "Folders vanish daily"),
        report("d", "My folders vanish"),
        report("e", "All folders vanish"),
        report("f", "Folders vanish at night"),
        report("g", "Folders vanish again"),
    )
    assert tree.parent.text == "Folders vanish"


def test_a_symptom_alone_is_a_parent_and_a_thing_alone_is_none() -> None:
    assert grown(report("a", "Crashes on Linux", os=["Linux"])).parent.text == "Crashes"
    assert grown(report("a", "Volume on Linux", os=["Linux"])).parent.text == "Volume on Linux"


def test_a_verb_that_lets_one_guess_a_value_is_not_taken_out_and_makes_no_child() -> None:
    spec = read_domain(
        {"attributes": {"link": {"values": ["Radio", "Wire"], "synonyms": {"Radio": ["pair", "pairing"]}}}}
    )
    tree = grown(report("a", "Pairing fails", link=["Radio"]), report("b", "Does not pair", link=["Radio"]), spec=spec)
    assert (tree.parent.text, fixed(tree.parent), tree.children) == ("Pairing fails", {}, ())


def test_a_child_is_worded_from_the_sentence_where_the_headline_hides_the_value() -> None:
    tree = grown(report("a", "All quiet", "My Mac makes no sound at all", os=["Mac"]))
    assert [(c.text, fixed(c)) for c in tree.children] == [("Mac makes no sound at all", {"os": ["Mac"]})]


def test_a_value_that_another_one_goes_with_is_no_child_of_its_own() -> None:
    spec = read_domain(
        {
            "attributes": {
                "device": {"values": ["Phone", "Tablet", "Laptop"], "synonyms": {"Phone": ["iphone"]}},
                "os": {
                    "values": ["iOS", "Windows"],
                    "synonyms": {"iOS": ["iphone"]},
                    "implies": {"iOS": {"device": ["Phone", "Tablet"]}},
                },
            }
        }
    )
    tree = grown(report("a", "No sound on my iPhone", device=["Phone"], os=["iOS"]), spec=spec)
    assert [fixed(c) for c in tree.children] == [{"os": ["iOS"]}, {"device": ["Phone"], "os": ["iOS"]}]


def test_what_a_single_customer_mentions_in_passing_is_no_child() -> None:
    assert grown(report("a", "Mail will not open", os=["Mac"])).children == ()


def test_children_are_what_was_reported_most_frequent_first_each_value_visible() -> None:
    tree = grown(
        report("a", "Mail will not open"),
        report("b", "Mail will not open with Gmail", provider=["Gmail"]),
        report("c", "Mail refuses to open", os=["Mac"]),
        report("d", "Mail stays shut", os=["Mac"]),
    )
    assert [(c.text, fixed(c), c.raw_issues) for c in tree.children] == [
        ("Mail will not open (Mac)", {"os": ["Mac"]}, ("c", "d")),
        ("Mail will not open with Gmail", {"provider": ["Gmail"]}, ("b",)),
    ]


def test_a_child_settles_what_its_values_imply_and_an_impossible_one_does_not_grow() -> None:
    tree = grown(
        report("a", "Mail will not open", os=["Linux"]), report("b", "Mail stays shut", os=["Linux"], shop=["Retail"])
    )
    found = [fixed(child) for child in tree.children]
    assert {"os": ["Linux"], "shop": ["Direct"]} in found
    assert {"shop": ["Retail"]} in found
    assert all(SPEC.allows(child.attributes) for child in tree.children)
    assert {"os": ["Linux"], "shop": ["Retail"]} not in found


def test_a_combination_that_the_domain_calls_impossible_does_not_grow() -> None:
    spec = read_domain(
        {
            "attributes": {"age": {"values": ["Infant", "Adult"]}, "state": {"examples": ["Pregnancy", "Diabetes"]}},
            "impossible": [{"age": ["Infant"], "state": ["Pregnancy"]}],
        }
    )
    misread = report("b", "Infant with fever, pregnant", age=["Infant"], state=["Pregnancy"])
    tree = grown(report("a", "Fever"), misread, report("c", "Infant fever", age=["Infant"]), spec=spec)
    assert [fixed(child) for child in tree.children] == [{"age": ["Infant"]}, {"state": ["Pregnancy"]}]


def test_children_are_capped_and_their_texts_differ() -> None:
    providers = [f"Provider{n:02d}" for n in range(20)]
    reports = [report(f"r{n:02d}", "Mail will not open", provider=[p]) for n, p in enumerate(providers)]
    tree = grown(*reports)
    texts = [tree.parent.text, *(child.text for child in tree.children)]
    assert len(tree.children) == 8
    assert len({text.casefold() for text in texts}) == 9
    assert all(names_value(c.text, SPEC.attributes["provider"], *c.attributes["provider"]) for c in tree.children)


def test_a_report_of_two_values_is_a_child_for_each() -> None:
    tree = grown(report("a", "Mail will not open"), report("b", "Mail stays shut", os=["Mac", "Windows"]))
    assert [fixed(child) for child in tree.children] == [{"os": ["Mac"]}, {"os": ["Windows"]}]


def test_none_stays_only_where_every_report_says_it_does_not_apply() -> None:
    alone = grown(report("a", "Mail will not open", provider=["NONE"]))
    assert alone.parent.attributes["provider"] == NONE
    mixed = grown(
        report("a", "Mail will not open", provider=["NONE"]), report("b", "Mail stays shut", provider=["Yahoo"])
    )
    assert mixed.parent.attributes["provider"] == ANY


def test_an_issue_without_configuration_grows_a_bare_parent() -> None:
    tree = grown(report("a", "Mail will not open"), spec=DomainSpec("plain"))
    assert (tree.parent.text, tree.parent.attributes, tree.children) == ("Mail will not open", {}, ())


def test_a_parent_that_cannot_do_without_a_value_fixes_it_also_where_all_were_reported() -> None:
    tree = grown(
        report("a", "Windows update broke printing", os=["Windows"]),
        report("b", "Mac update broke printing", os=["Mac"]),
        report("c", "Linux update broke printing", os=["Linux"]),
    )
    assert (tree.parent.text, fixed(tree.parent)) == ("Windows update broke printing", {"os": ["Windows"]})


def test_the_parent_is_the_seeds_problem_and_no_neighbours() -> None:
    seed = report("a", "Stiff lid squeaks on Yahoo", provider=["Yahoo"])
    others = [report(n, "Mail from Gmail is late again", provider=["Gmail"]) for n in "bcd"]
    assert grown(seed, *others).parent.text == "Stiff lid squeaks"


AGES = read_domain({"attributes": {"age": {"values": ["Child", "Adult", "Elderly"]}}})


def test_an_age_in_numbers_is_a_value_that_the_text_states() -> None:
    tree = grown(report("a", "I'm 76 and sleep four hours a night", age=["Elderly"]), spec=AGES)
    assert fixed(tree.parent) == {"age": ["Elderly"]}


def test_a_childs_text_states_no_value_that_it_leaves_open() -> None:
    spec = read_domain(
        {
            "attributes": {
                "age": {"values": ["Child", "Adult"]},
                "sex": {"values": ["Female"], "synonyms": {"Female": ["daughter"]}},
            }
        }
    )
    tree = grown(
        report("a", "Cough at night"),
        report("b", "8 year old daughter coughs at night", age=["Child"], sex=["Female"]),
        spec=spec,
    )
    texts = {str(fixed(child)): child.text for child in tree.children}
    assert "8" not in texts["{'sex': ['Female']}"]
    assert texts["{'age': ['Child'], 'sex': ['Female']}"].startswith("8 year old daughter")
