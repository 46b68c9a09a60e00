"""From a config to what `decide` judges by."""

from pathlib import Path

import pytest

from tests.config.texts import MODELS, config_of, write
from workbench.config import Config, ImportSpecs, annotation_facts, parse_config, policy_for
from workbench.policy import AgentPolicy, Call, Rule, ToolFacts, decide

TEXT = """\
models: {main: {provider: scripted}}
defaults: {model: main, auto: true}
agents:
  a:
    interrupt:
      tools:
        - delete_*
        - {name: set_price, remember: thread, subject: "./subjects.py:store_of", ttl_seconds: 60}
        - {name: get_*, ask: false}
      skip_read_only: true
      remember: always
      ttl_seconds: 3600
      tool_approvals: true
  b: {auto: false}
  c: {}
entry: a
"""


def config(folder: Path, text: str = TEXT) -> Config:
    return parse_config(text, file=folder / "c.yaml", check_specs=False).raise_if_invalid()


def test_a_policy_carries_every_setting_and_the_lines_of_its_rules(tmp_path: Path) -> None:
    write(tmp_path, {"subjects.py": "def store_of(name, given): return given['store']\n"})
    specs = ImportSpecs(tmp_path)
    assert policy_for(config(tmp_path), "a", specs) == AgentPolicy(
        agent="a",
        rules=(
            Rule("delete_*", line=7),
            Rule("set_price", remember="thread", subject=specs.load("./subjects.py:store_of"), subject_spec="./subjects.py:store_of", ttl_seconds=60, line=8),
            Rule("get_*", ask=False, line=9),
        ),
        auto=None,
        default_auto=True,
        skip_read_only=True,
        remember="always",
        ttl_seconds=3600,
        tool_approvals=True,
        auto_line=2,
    )  # fmt: skip


def test_auto_stands_on_the_agent_s_own_line_or_on_that_of_the_defaults(tmp_path: Path) -> None:
    found = config(tmp_path)
    specs = ImportSpecs(tmp_path)
    assert (policy_for(found, "b", specs).auto, policy_for(found, "b", specs).auto_line) == (False, 14)
    assert (policy_for(found, "c", specs).auto, policy_for(found, "c", specs).auto_line) == (None, 2)
    silent = config_of(f"agents: {{a: {{}}}}\n{MODELS}")
    assert (policy_for(silent, "a", specs).default_auto, policy_for(silent, "a", specs).auto_line) == (
        False,
        None,
    )


def test_a_rule_that_came_through_an_anchor_keeps_the_line_it_is_written_on(tmp_path: Path) -> None:
    text = f"x-rules: &rules\n  tools:\n    - delete_*\nagents: {{a: {{interrupt: {{<<: *rules, remember: once}}}}}}\n{MODELS}"
    assert policy_for(config_of(text), "a", ImportSpecs(tmp_path)).rules[0].line == 3


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "there is no file './subjects.py' beside the config"),
        ("1 / 0\n", "subjects.py:1: ZeroDivisionError"),
        ("store_of = 5\n", "'./subjects.py:store_of' is not a function"),
    ],
)
def test_a_subject_that_cannot_be_loaded_opens_no_gate(tmp_path: Path, source: str | None, said: str) -> None:
    write(tmp_path, {"subjects.py": source} if source else {})
    policy = policy_for(config(tmp_path), "a", ImportSpecs(tmp_path))
    verdict = decide(Call("set_price", {"store": "summit"}), policy, (), ToolFacts())
    assert (verdict.outcome, verdict.subject.key, verdict.scopes) == ("ask", "set_price", ("once",))
    assert said in " ".join(verdict.warnings)


def test_an_agent_that_is_not_there_has_no_policy(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="c: there is no agent 'nobody'"):
        policy_for(config(tmp_path), "nobody", ImportSpecs(tmp_path))


ANNOTATED = f"""\
agents: {{a: {{}}}}
{MODELS}tool_annotations:
  search_*: {{readOnlyHint: true, title: Search}}
  "*_prices": {{idempotentHint: true}}
  search_and_delete: {{readOnlyHint: false, destructiveHint: true}}
"""


@pytest.mark.parametrize(
    ("tool", "facts"),
    [
        ("search_catalog", ToolFacts(read_only=True, title="Search")),
        ("search_prices", ToolFacts(read_only=True, title="Search")),
        ("set_prices", ToolFacts(idempotent=True)),
        ("search_and_delete", ToolFacts(read_only=False)),
        ("Search_catalog", ToolFacts()),
        ("other", ToolFacts()),
    ],
)
def test_an_exact_name_counts_before_globs_and_the_first_glob_before_the_rest(
    tool: str, facts: ToolFacts
) -> None:
    assert annotation_facts(config_of(ANNOTATED), tool) == facts


def test_facts_keep_the_kind_they_are_asked_for() -> None:
    assert annotation_facts(config_of(ANNOTATED), "search_x", "mcp").kind == "mcp"
