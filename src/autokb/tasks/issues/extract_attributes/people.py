"""Who the text is about, where only a pronoun (``a rash on his belly``) or a letter (``45F``) tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from autokb.text.lexicon import Mention, Spec, Words
from autokb.text.lexicon_words import word_set

_PRONOUNS = {"male": word_set("he he's him his himself"), "female": word_set("she she's her hers herself")}
_AGED = {"male": re.compile(r"\d{1,2}m\Z"), "female": re.compile(r"\d{1,2}f\Z")}
# Somebody else is in the text whom the pronoun may mean, or the writer is the one with the trouble.
_OTHERS = word_set("doctor doctors gp nurse dr dentist pharmacist therapist i'm i've i'd")


def pronoun_mentions(words: Words, listed: Sequence[Mention], spec: Spec) -> Iterator[Mention]:
    """Give a mention for he or she where an attribute tells male from female and nothing else says which."""
    for name in sorted(spec):
        values = {value.casefold(): value for value in spec[name].values}
        if not {"male", "female"} <= values.keys() or any(m.attribute == name for m in listed):
            continue
        letters = {sex: [i for i, w in enumerate(words.folded) if _AGED[sex].match(w)] for sex in _PRONOUNS}
        others = set(words.folded) & _OTHERS
        found = {
            sex: letters[sex] or [i for i, w in enumerate(words.folded) if w in own and not others]
            for sex, own in _PRONOUNS.items()
        }
        said = [sex for sex, places in found.items() if places]
        if len(said) == 1:
            place = found[said[0]][0]
            yield Mention(place, place + 1, name, values[said[0]])
