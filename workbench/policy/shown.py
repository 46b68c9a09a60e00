"""Text and values as a person may safely see them: nothing hidden in them, no secret in the open."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

# Drawn as nothing, or as blank, by most fonts, though Unicode counts them as letters, marks or symbols.
_DRAWN_AS_NOTHING: Final = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0]
    + list(range(0xFE00, 0xFE10))
    + list(range(0xE0100, 0xE01F0))
)
_EMOJI_STYLE: Final = "\ufe0f"
_JOINER: Final = "\u200d"
_ESCAPE_OPENS: Final = "⟦"


def visible(text: str) -> str:
    """The text with every hidden character written out, such as `⟦U+202E⟧`.

    Control, bidirectional, zero-width, tag, unassigned and private characters, lone surrogates, line and paragraph
    separators and invisible fillers are written out; new lines and tabs stay, and so does what holds one emoji
    together. Two different texts never look the same: an escape that was in the text already is written out too.
    """
    return _SUSPECT.sub(
        lambda found: f"⟦U+{ord(found[0]):04X}⟧" if _is_hidden(text, found.start()) else found[0], text
    )


_SUSPECT: Final = re.compile(r"[^\n\t -~]")


def _is_hidden(text: str, place: int) -> bool:
    char = text[place]
    if char == _ESCAPE_OPENS:
        return text.startswith("⟦U+", place)
    if char == _EMOJI_STYLE:
        return not _is_pictorial(text[place - 1 : place])
    if char == _JOINER:
        return not (_ends_emoji(text[place - 1 : place]) and _is_pictorial(text[place + 1 : place + 2]))
    if ord(char) in _DRAWN_AS_NOTHING:
        return True
    category = unicodedata.category(char)
    if category == "Cn":
        # Emoji newer than this Python's tables are unassigned to it, and anything but hidden.
        return not 0x1F000 <= ord(char) <= 0x1FAFF
    return category in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}


def _is_pictorial(char: str) -> bool:
    return char != "" and char != "\u2800" and unicodedata.category(char) == "So"


def _ends_emoji(char: str) -> bool:
    return _is_pictorial(char) or char == _EMOJI_STYLE or "\U0001f3fb" <= char <= "\U0001f3ff"


def one_line(text: str, *, limit: int = 200) -> str:
    """The text made visible, on one line, and cut with its length named when it is longer than `limit`."""
    line = " ".join(visible(text).split())
    return line if len(line) <= limit else f"{line[:limit]}… ({len(text)} characters)"


_SECRET_WORDS: Final = frozenset(
    "password passwords passwd passphrase passcode pwd secret secrets token apikey apikeys authorization bearer "
    "credential credentials creds cookie cookies session jwt otp cvv cvc auth oauth "
    "accesskey privatekey secretkey authtoken accesstoken refreshtoken sessiontoken bearertoken idtoken apitoken "
    "csrftoken xsrftoken sessionid clientsecret".split()
)
_SECRET_PAIRS: Final = frozenset(
    [(before, key) for before in ("api", "access", "private", "secret", "signing", "encryption", "ssh", "master")
     for key in ("key", "keys")]
    + [(before, "tokens") for before in ("access", "auth", "api", "refresh", "bearer", "session", "secret")]
)  # fmt: skip
# A name that counts or describes the secret says nothing of the secret itself: token_count, session_length.
_MEASURES: Final = frozenset(
    "count counts used usage limit limits max min maximum minimum total budget remaining length size rate per "
    "cost price ttl expiry expires policy enabled required type".split()
)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def is_secret_key(name: str) -> bool:
    """Whether a field of this name looks like it holds a secret.

    Names are read word by word, in camelCase, snake_case and kebab-case alike, so `dbPassword`, `X-Api-Key` and
    `session_id` do, while `author`, `max_tokens`, `token_count` and `primary_key` don't.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if _MEASURES.intersection(words):
        return False
    return not _SECRET_WORDS.isdisjoint(words) or any(
        pair in _SECRET_PAIRS for pair in zip(words, words[1:], strict=False)
    )


def masked(value: Any, *, mask: str = "••••••") -> Any:
    """A copy of a value in which everything under a secret-looking key, at any depth, reads `mask`.

    The shape stays, and so do `None`, truth values and empty strings, which give nothing away. A pair such as
    `{"name": "Authorization", "value": "…"}`, the way lists of headers are written, is masked too.
    """
    return _masked(value, mask, secret=False)


def _masked(value: Any, mask: str, *, secret: bool) -> Any:
    match value:
        case None | bool() | "":
            return value
        case Mapping():
            named = any(
                is_secret_key(value[key])
                for key in ("name", "key", "header")
                if isinstance(value.get(key), str) and "value" in value
            )
            return {
                key: _masked(
                    member,
                    mask,
                    secret=secret
                    or (named and key == "value")
                    or (isinstance(key, str) and is_secret_key(key)),
                )
                for key, member in value.items()
            }
        case str() | bytes() | bytearray():
            return mask if secret else value
        case Sequence():
            return [_masked(item, mask, secret=secret) for item in value]
        case _:
            return mask if secret else value
