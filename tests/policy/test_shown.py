"""What a person sees of texts and values that someone else wrote."""

import copy
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policy import drawn
from workbench.policy import is_secret_key, masked, one_line, visible


@pytest.mark.parametrize(
    "char",
    ["\u202e", "\u202a", "\u2066", "\u2069", "\u200e", "\u061c"]
    + ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e"]
    + ["\x00", "\x07", "\x08", "\x1b", "\x7f", "\x85", "\r"]
    + ["\U000e0041", "\U000e0001", "\U000e0100", "\ufe0f", "\ufe00"]
    + ["\u2028", "\u2029", "\ud800", "\ue000", "\U000f0000", "\ufff9", "\uffff", "\U0010ffff"]
    + ["\u3164", "\u115f", "\uffa0", "\u2800", "\u034f"],
)
def test_a_hidden_character_is_written_out(char: str) -> None:
    assert visible(f"a{char}b") == f"a⟦U+{ord(char):04X}⟧b"
    assert visible(char) == f"⟦U+{ord(char):04X}⟧"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "two\nlines\tand a tab",
        "Zürich ß é",
        "שלום",
        "مرحبا",
        "価格は12円",
        "naïve e\u0301",
        "“quoted” – …",
    ]
    + ["❤️ ✈️", "👍🏽", "👨‍👩‍👧", "👩🏽‍🚀", "🫨", "1\u00a0000", "⟦brackets⟧", ""],
)
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_text_can_not_imitate_an_escape() -> None:
    assert visible("⟦U+202E⟧") != visible("\u202e")
    assert visible("⟦U+202E⟧") == "⟦U+27E6⟧U+202E⟧"


@given(st.text(alphabet=st.characters() | st.sampled_from("⟦U+20⟧\u202e\u200d\ufe0f❤👍"), max_size=20))
def test_two_texts_never_look_the_same(text: str) -> None:
    shown = visible(text)
    assert re.sub(r"⟦U\+([0-9A-F]{4,6})⟧", lambda found: chr(int(found[1], 16)), shown) == text


def test_one_line_is_one_line_and_names_what_it_cuts() -> None:
    assert one_line("a\n\n b\u202e\tc") == "a b⟦U+202E⟧ c"
    assert one_line("x" * 300, limit=10) == "xxxxxxxxxx… (300 characters)"


SECRET = [
    "password", "Password", "PASSWORD", "dbPassword", "db_password", "user-password", "password2", "passwd", "pwd",
    "passphrase", "token", "accessToken", "access_token", "X-Auth-Token", "refreshToken", "refresh_tokens",
    "secret", "clientSecret", "client_secret", "SECRET_KEY", "aws_secret_access_key", "api_key", "apiKey", "APIKey",
    "API_KEY", "apikey", "X-Api-Key", "openai.api_key", "Authorization", "proxy-authorization", "auth", "oauth_token",
    "bearer", "bearerToken", "credential", "credentials", "cookie", "Set-Cookie", "cookies", "private_key",
    "privateKey", "PRIVATEKEY", "session", "session_id", "sessionId", "access_key", "accessKey", "jwt", "otp",
]  # fmt: skip
OPEN = [
    "", "author", "authors", "authority", "authored_by", "authorized", "tokens", "tokens_used", "max_tokens",
    "maxTokens", "token_count", "tokenLimit", "input_tokens", "total_tokens", "tokenizer", "secretary", "key", "keys",
    "keyboard", "primary_key", "sort_key", "public_key", "monkey", "compass", "passenger", "bypass", "session_length",
    "obsession", "sessions", "store", "price", "sku", "cookieless", "password_policy", "tokenized", "api", "access",
    "private", "user", "name", "2", "日本",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRET)
def test_a_name_that_says_secret_is_secret(name: str) -> None:
    assert is_secret_key(name)


@pytest.mark.parametrize("name", OPEN)
def test_a_name_that_only_looks_like_it_is_not(name: str) -> None:
    assert not is_secret_key(name)


def test_secrets_are_masked_at_any_depth_and_the_shape_stays() -> None:
    value = {
        "user": "ann",
        "password": "hunter2",
        "servers": [{"host": "a", "apiKey": 1234}, ("x", {"token": b"t"})],
        "credentials": {"id": "i", "parts": ["p", 3]},
    }
    assert masked(value) == {
        "user": "ann",
        "password": "••••••",
        "servers": [{"host": "a", "apiKey": "••••••"}, ["x", {"token": "••••••"}]],
        "credentials": {"id": "••••••", "parts": ["••••••", "••••••"]},
    }


@pytest.mark.parametrize("empty", [None, True, False, "", [], {}])
def test_a_secret_that_gives_nothing_away_stays(empty: Any) -> None:
    assert masked({"password": empty}) == {"password": empty}


def test_a_header_written_as_name_and_value_is_masked() -> None:
    headers = [{"name": "Authorization", "value": "Bearer x"}, {"name": "Accept", "value": "text/html"}]
    assert masked(headers) == [
        {"name": "Authorization", "value": "••••••"},
        {"name": "Accept", "value": "text/html"},
    ]


def test_the_mask_can_be_chosen() -> None:
    assert masked({"token": "x"}, mask="(hidden)") == {"token": "(hidden)"}


@given(drawn.inputs, st.sampled_from(SECRET), drawn.json_values)
def test_masking_changes_nothing_but_its_copy(value: dict[str, Any], name: str, secret: Any) -> None:
    whole = {**value, name: secret, "deep": [{name: "hunter2"}]}
    before = copy.deepcopy(whole)
    assert masked(whole)["deep"] == [{name: "••••••"}]
    assert whole == before
