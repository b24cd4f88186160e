"""What everybody knows about words: common names of common values, plurals, and the slips of fast fingers."""

from __future__ import annotations

from collections.abc import Iterator


def word_set(text: str) -> frozenset[str]:
    """Read a set of words written in one string."""
    return frozenset(text.split())


# A value that is an ordinary word says nothing by its name alone; only synonyms that a person configured count.
SILENT = word_set(
    "other others any none unknown general all default misc miscellaneous various both same new normal mixed "
    "else unspecified yes no on off true false n/a na not applicable"
)
# Short everyday words count as a value only in the very spelling that was configured (US, IT).
EVERYDAY = word_set(
    "a an i it is us in or at on off no so do go he she we me my to of as by if be up am pm ok all and the "
    "for not may who can will"
)
# Real words one slip away from a common value.
OTHER_WORDS = word_set("widows talbot wireness recant resent unpaired live lie tables mobility outlooks")
IRREGULAR = {
    "child": "children",
    "man": "men",
    "woman": "women",
    "person": "people",
    "baby": "babies",
    "mouse": "mice",
    "wife": "wives",
    "tooth": "teeth",
    "foot": "feet",
}
_MAC = "mac,macos,mac os x,os x,macbook,macbook air,macbook pro,imac,mac mini,mac studio,mac pro"
_IPHONE, _IPAD = "iphone", "ipad"
_GALAXY = (
    "samsung galaxy,samsung phone,galaxy s,galaxy a,galaxy note,galaxy phone,google pixel,pixel phone,?pixel,oneplus"
)
_OLD = "old man,old woman,old lady,"
_GRANDPARENTS = ("grandmother,grandma,granny,gran,nana", "grandfather,grandpa,grandad,granddad")
_NAMES: dict[str, str] = {
    "windows": "windows,?win,microsoft windows,win xp",
    "mac": _MAC,
    "macos": _MAC,
    "mac os": _MAC,
    "os x": _MAC,
    "linux": "linux,ubuntu,debian,fedora,linux mint,arch linux,opensuse,manjaro,?gnome,?kde,xubuntu,kubuntu",
    "android": f"android,android phone,android tablet,galaxy tab,{_GALAXY}",
    "ios": f"ios,ipados,{_IPHONE},{_IPAD}",
    "ipados": f"ipados,{_IPAD}",
    "chromeos": "chromeos,chromebook",
    "phone": f"phone,smartphone,cell phone,mobile phone,?mobile,handset,{_IPHONE},{_GALAXY}",
    "tablet": f"tablet,{_IPAD},galaxy tab",
    "laptop": "laptop,notebook,notebook computer,macbook,macbook air,macbook pro,chromebook,thinkpad,?computer,?pc",
    "desktop": "desktop,desktop computer,desktop pc",
    "wireless": "wireless,wirelessly,bluetooth,bt,?wifi,?pairing,?unpair",
    "wired": "wired,corded,?cable,?cord,?aux,audio jack,headphone jack,3.5mm,3.5 mm",
    "wi-fi": "wifi,wlan",
    "pop3": "pop",
    "pop": "pop3",
    "male": f"male,man,boy,gentleman,guy,husband,father,dad,son,brother,grandson,uncle,{_GRANDPARENTS[1]}",
    "female": "female,woman,girl,?lady,wife,mother,mom,mum,daughter,sister,granddaughter,aunt,pregnant,pregnancy,"
    f"breastfeeding,{_GRANDPARENTS[0]}",
    "earbud": "earbud,bud,airpod",
    "earphone": "earphone,in-ear,iem",
    "headphone": "headphone,headset,over-ear,on-ear,earcup",
    "infant": "infant,baby,newborn",
    "child": "child,kid,toddler,preschooler,schoolchild",
    "adolescent": "adolescent,teen,teenager,teenage",
    "teenager": "adolescent,teen,teenager,teenage",
    "adult": "adult,grownup,?middle aged,?man,?woman,?husband,?wife",
    "elderly": f"elderly,senior citizen,old age,{_OLD}pensioner,{','.join(_GRANDPARENTS)}",
    "senior": f"elderly,senior citizen,old age,{_OLD}pensioner,{','.join(_GRANDPARENTS)}",
    "hypertension": "high blood pressure",
    "diabetes": "diabetic",
    "asthma": "asthmatic",
    "heart disease": "heart condition,cardiac disease,coronary disease",
}
# A word behind a question mark is common but ambiguous: it counts only where nobody listed synonyms of the value.
COMMON: dict[str, tuple[str, ...]] = {value: tuple(words.split(",")) for value, words in _NAMES.items()}
# What platform switches of manuals abbreviate, as prefixes of the switch's name.
SWITCHES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("win", ("windows",)),
    ("mac", ("mac", "macos", "mac os", "os x")),
    ("osx", ("mac", "macos", "mac os", "os x")),
    ("linux", ("linux",)),
    ("unix", ("linux", "unix")),
    ("android", ("android",)),
    ("ios", ("ios",)),
    ("ipad", ("ipad",)),
    ("iphone", ("iphone",)),
)
# Words that mean something else after the first or before the second ones: a MAC address, a pop-up, Outlook's program.
FALSE_FRIENDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "mac": (frozenset(), word_set("address addresses id")),
    "phone": (word_set("by"), word_set("number numbers call calls support")),
    "mobile": (frozenset(), word_set("number numbers data network")),
    "cell": (frozenset(), word_set("number numbers")),
    "pop": (word_set("will to windows"), word_set("up ups out")),
    "exchange": (word_set("to in can cannot"), word_set("of rate rates")),
    "desktop": (frozenset(), word_set("icon icons shortcut shortcuts background folder wallpaper notification")),
    "outlook": (
        word_set("from import importing like"),
        word_set("data program programme pst express desktop classic 2003 2007 2010 2013 2016 2019 2021"),
    ),
    "cable": (word_set("charging usb charger power ethernet"), word_set("company tv")),
    "windows": (
        word_set(
            "two three several multiple many other these those all both separate compose composition message open "
            "opened opens opening popup pop-up few more additional minimized close closing closed app application "
            "browser chat"
        ),
        word_set("open opened pop popup appear popped appears"),
    ),
}
_VOWELS = "aeiou"


def inflections(word: str) -> Iterator[str]:
    """Give the word, its plural, and its singular where the word is a plain plural."""
    yield word
    if not word.isalpha():
        return
    if word in IRREGULAR:
        yield IRREGULAR[word]
    elif word.endswith(("s", "x", "z", "ch", "sh")):
        yield word + "es"
    elif word.endswith("y") and word[-2:-1] not in _VOWELS:
        yield word[:-1] + "ies"
    else:
        yield word + "s"
    if word != "windows" and len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is", "os")):
        yield word[:-3] + "y" if word.endswith("ies") else word[:-1]


def slips(word: str) -> Iterator[str]:
    """Give misspellings inside a word: a letter left out, doubled or swapped, one vowel for another."""
    if len(word) < 6 or not word.isascii() or not word.isalpha():
        return
    for i in range(1, len(word) - 1):
        yield word[:i] + word[i + 1 :]
        yield word[:i] + word[i] + word[i:]
        if i < len(word) - 2:
            yield word[:i] + word[i + 1] + word[i] + word[i + 2 :]
        if word[i] in _VOWELS and len(word) > 6:
            yield from (word[:i] + vowel + word[i + 1 :] for vowel in _VOWELS if vowel != word[i])


def common_words(value: str, listed: bool, claimed: frozenset[str]) -> tuple[str, ...]:
    """Return a value's common names, without those that the configuration gives to some value itself."""
    words = COMMON.get(value.casefold(), ())
    sure = (word.lstrip("?") for word in words if not (listed and word.startswith("?")))
    return tuple(word for word in sure if word.replace(" ", "") not in claimed)
