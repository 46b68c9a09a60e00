"""Models and tools that fail, and results nobody expected: said plainly, survived, and nothing is lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.runs.harness import Bench, price, shop
from workbench.policy.answer import Approved, Denied, Happened
from workbench.runs.views import TextItem

MakeBench = Callable[..., Bench]

FINE = [{"text": "All fine."}]
FAIL = {"error": "the provider hung up", "before": [{"text": "I was about to say"}]}


def give(what: str) -> dict[str, Any]:
    return {"tool": "give", "input": {"what": what}}


def test_a_model_that_fails_in_mid_stream_is_shown_with_what_it_had_said(bench: MakeBench) -> None:
    b = bench(shop([FAIL], FINE))
    assert b.say() == "failed"
    assert b.page.last_error == "The model failed: the provider hung up (ScriptedFailure)"
    view = b.views()[0]
    assert (view.status, view.error_code, b.texts()) == ("failed", "model_failed", ["I was about to say"])
    b.restart()
    assert b.page.status == "failed"


def test_the_message_after_a_failure_is_answered_and_roles_alternate(bench: MakeBench) -> None:
    b = bench(shop([FAIL], FINE))
    b.say("first")
    assert b.say("second") == "idle"
    assert b.said() == ["All fine."]
    first = b.heard()[0]
    assert [block["text"] for block in first["content"]] == ["first", "second"]
    assert [message["role"] for message in b.heard()] == ["user", "assistant"]


def test_trying_again_goes_on_from_where_it_failed(bench: MakeBench) -> None:
    b = bench(shop([price(), FAIL]))
    b.say()
    b.answer(Approved())
    assert b.page.status == "failed"
    b.apply(shop([price(), {"text": "There."}]))
    b.engine.retry(b.id, by="Ada")
    assert b.settle() == "idle"
    assert (b.prices(), b.said()) == ([("A1", 12)], ["There."])
    assert b.statuses() == ["paused", "failed", "done"]


def test_trying_again_fails_again_without_harm(bench: MakeBench) -> None:
    b = bench(shop([FAIL]))
    b.say()
    for _ in range(2):
        b.engine.retry(b.id, by="Ada")
        assert b.settle() == "failed"
    assert [message["role"] for message in b.heard()] == ["user"]


def test_a_tool_that_raises_is_told_to_the_model_and_the_run_goes_on(bench: MakeBench) -> None:
    b = bench(shop([{"tool": "stumble", "input": {"over": "a stone"}}]))
    assert b.say() == "idle"
    assert b.results() == ["Error: RuntimeError - stumbled over a stone"]
    assert b.items()[0].state == "failed"
    assert b.said() == ["Done."]


def test_an_approved_call_that_raises_ran_once(bench: MakeBench) -> None:
    b = bench(shop([{"tool": "stumble", "input": {"over": "a stone"}}], ask=["stumble"]))
    b.say()
    b.answer()
    assert len(b.ran()) == 1 and b.results()[0].startswith("Error")


@pytest.mark.parametrize(
    ("what", "read"),
    [
        ("nothing", "null"),
        ("empty", ""),
        ("no content", ""),
        ("nan", "nan"),
        ("stranger", "<a stranger>"),
        ("bytes in json", "x00"),
        ("in a circle", "Error: "),
        ("set", "{1}"),
        ("half a letter", "\ud83d"),
    ],
)
@pytest.mark.parametrize("gated", [False, True], ids=["ran", "approved"])
def test_odd_results_reach_the_model_and_the_disk(
    bench: MakeBench, what: str, read: str, gated: bool
) -> None:
    b = bench(shop([{"tools": [give(what), price()]}], ask=["set_price", *(["give"] if gated else [])]))
    b.say()
    for card in b.cards():
        b.restart()
        b.answer(Approved(), card)
    assert b.page.status == "idle"
    assert read in b.results()[0]
    assert len([tool for tool, _ in b.ran() if tool == "give"]) == 1


def test_bytes_in_a_result_survive_a_pause(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [give("image"), price()]}]))
    b.say()
    b.restart()
    b.answer()
    picture = b.heard()[2]["content"][0]["toolResult"]["content"][0]["image"]
    assert picture["source"]["bytes"] == b"\x89PNG\x00\xff"
    assert "[image]" in b.items()[0].result_text


@pytest.mark.parametrize(
    ("what", "size"), [("big", 5_000_000), ("big json", 2_080_000), ("many parts", 4_500_000)]
)
def test_a_huge_result_is_cut_for_the_model_and_kept_whole(bench: MakeBench, what: str, size: int) -> None:
    b = bench(shop([{"tools": [give(what), price()]}]))
    b.say()
    b.restart()
    b.answer()
    assert b.page.status == "idle"
    read = b.results()[0]
    assert len(read) < 110_000 and "[cut: " in read
    item = b.items()[0]
    assert len(item.result_text) <= 4_000
    whole = b.engine.call_result(item.key)
    assert whole is not None and len(whole) >= size


def test_a_tool_file_that_no_longer_loads_fails_the_run_with_its_line_and_keeps_the_message(
    bench: MakeBench,
) -> None:
    b = bench(shop(FINE, tools="./own.py"), files={"own.py": '"""Own."""\n\nraise RuntimeError("no disk")\n'})
    assert b.say("first") == "failed"
    assert "own.py:3" in str(b.page.last_error) and "no disk" in str(b.page.last_error)
    assert "Traceback" not in str(b.page.last_error)
    good = '"""Own."""\nimport strands\n\n@strands.tool\ndef nod() -> str:\n    """Nod."""\n    return "."\n'
    b.beside("own.py", good)
    assert b.say("second") == "idle"
    assert [block["text"] for block in b.heard()[0]["content"]] == ["first", "second"]


def test_a_model_without_its_key_is_named_and_the_message_waits(
    bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    config = shop(FINE)
    config["agents"]["merchant"]["model"] = {"provider": "openai", "model_id": "gpt-5"}
    b = bench(config)
    assert b.say("first") == "failed"
    assert "OPENAI_API_KEY" in str(b.page.last_error)
    b.apply(shop(FINE))
    b.engine.retry(b.id, by="Ada")
    assert b.settle() == "idle"
    assert b.heard()[0]["content"] == [{"text": "first"}]


def test_a_message_instead_of_an_answer_is_kept_although_the_newest_config_cannot_run(
    bench: MakeBench,
) -> None:
    b = bench(shop([price()], FINE))
    b.say()
    b.beside("own.py", '"""Own."""\nraise OSError("no")\n')
    b.apply(shop([price()], FINE, tools="./own.py"))
    assert b.say("never mind") == "failed"
    b.apply(shop([price()], FINE))
    b.engine.retry(b.id, by="Ada")
    assert b.settle() == "idle"
    assert b.results() == ["Skipped: the person sent a message instead of answering"]
    assert b.said() == ["All fine."]


SILENT = '''
from strands.models.model import Model


class Silent(Model):
    """A model that ends its turn without a word, as providers' models do at times."""

    def __init__(self, **settings):
        self.settings = settings
        self.calls = 0

    def update_config(self, **settings):
        self.settings.update(settings)

    def get_config(self):
        return self.settings

    async def structured_output(self, *args, **kwargs):
        raise NotImplementedError
        yield

    async def stream(self, messages, tool_specs=None, system_prompt=None, **kwargs):
        yield {"messageStart": {"role": "assistant"}}
        said = SAID
        for text in said:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": text}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}
'''


@pytest.mark.parametrize("said", [[], [""], [" \\n"]], ids=["nothing", "an empty text", "a blank text"])
def test_a_model_that_says_nothing_does_not_break_later_turns(bench: MakeBench, said: list[str]) -> None:
    config = shop(FINE)
    config["agents"]["merchant"]["model"] = {"provider": "./models.py:Silent"}
    b = bench(config, files={"models.py": SILENT.replace("SAID", repr(said))})
    assert b.say("first") == "idle"
    assert b.say("second") == "idle"
    b.apply(shop(FINE, FINE, FINE))
    assert b.say("third") == "idle"
    assert b.said()[-1] == "All fine."


RAISING_MODEL = SILENT.replace("SAID", '["half a "]').replace(
    'yield {"contentBlockStop": {}}', 'raise KeyError("choices")'
)


def test_a_model_class_of_the_configs_own_is_named_with_its_line_when_it_raises(bench: MakeBench) -> None:
    config = shop(FINE)
    config["agents"]["merchant"]["model"] = {"provider": "./models.py:Silent"}
    b = bench(config, files={"models.py": RAISING_MODEL})
    assert b.say() == "failed"
    assert "models.py line 28" in str(b.page.last_error) and "choices" in str(b.page.last_error)
    item = b.views()[0].items[0]
    assert isinstance(item, TextItem) and (item.text, item.cut) == ("half a ", True)


def test_a_tool_nobody_knows_is_told_to_the_model(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [{"tool": "fly"}, price()]}]))
    b.say()
    b.answer(Denied())
    assert b.results()[0] == "Unknown tool: fly"
    assert [item.state for item in b.items()] == ["failed", "closed"]


def test_a_tool_name_strands_will_not_run_leaves_no_call_open_in_the_transcript(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [{"tool": "not a name"}, price()]}]))
    b.say()
    b.restart()
    b.answer()
    assert b.page.status == "idle"
    assert all(item.state in ("failed", "finished") for item in b.items()), b.items()


LOCKING = '''
import sqlite3
import threading
import time
from pathlib import Path

import strands
from .kit import HERE, note

@strands.tool
def lock_up(seconds: float) -> str:
    """Have an effect, and hold the database's write lock just when the result is to be kept.

    Args:
        seconds: for how long.
    """
    note("lock_up", seconds=seconds)
    connection = sqlite3.connect(HERE.parent / "workbench.db", check_same_thread=False)
    connection.execute("BEGIN IMMEDIATE")

    def release():
        time.sleep(seconds)
        connection.rollback()
        connection.close()

    threading.Thread(target=release).start()
    return "done"
'''


def test_a_result_the_disk_would_not_take_makes_a_doubt_and_no_second_call(
    bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.runs.worker.RECOVERY_SECONDS", 0.2)
    step = {"tool": "lock_up", "input": {"seconds": 1.0}}
    config = shop([step, price()], tools="./locking.py", ask=["nothing"])
    b = bench(config, files={"locking.py": LOCKING}, busy_seconds=0.2)
    b.send()
    b.wait(lambda: b.ran(), "the effect")
    b.until("waiting")
    assert (b.card().kind, b.ran()) == ("doubt", [("lock_up", {"seconds": 1.0})])
    b.answer(Happened("done"))
    assert b.results()[0].endswith("done") and len(b.ran()) == 1


def test_a_short_lock_is_waited_for(bench: MakeBench) -> None:
    step = {"tool": "lock_up", "input": {"seconds": 0.3}}
    b = bench(shop([step], tools="./locking.py", ask=["nothing"]), files={"locking.py": LOCKING})
    assert b.say() == "idle"
    assert b.results() == ["done"]


def test_a_config_that_never_was_valid_opens_no_conversation(bench: MakeBench) -> None:
    from workbench.runs.errors import ConfigUnknown

    b = bench(shop(FINE))
    b.beside("broken.yaml", "agents: [")
    with pytest.raises(ConfigUnknown) as unknown:
        b.engine.new_conversation(str(b.folder / "broken.yaml"))
    assert "broken.yaml" in str(unknown.value)
    with pytest.raises(ConfigUnknown):
        b.engine.new_conversation(str(Path(b.folder, "nowhere.yaml")))
