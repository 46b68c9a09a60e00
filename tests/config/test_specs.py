"""Import specs as they are checked while someone types: nothing of what they name runs."""

from pathlib import Path

import pytest

from tests.config.texts import MODELS, write
from workbench.config import ImportSpecError, ImportSpecs, Parsed, Problem, parse_config

FILES = {
    "tools/catalog.py": """\
from strands import tool
from strands import tool as instrument
import strands
raise RuntimeError("never run while checking")

@tool
def search(q: str) -> str:
    "Search."
    return q

@strands.tool(name="look_up", description="x")
async def lookup(q: str) -> str:
    return q

@instrument
def third(q: str) -> str:
    return q

def helper(): ...
""",
    "tools/create_return.py": "def create_return(): ...\n",
    "tools/spec.py": "TOOL_SPEC = {'name': 'weigh', 'description': 'x'}\ndef weigh(): ...\n",
    "tools/broken.py": "def broken(:\n",
    "subjects.py": """\
import os as system
from pathlib import Path
if True:
    def store_of(tool, given): ...
else:
    def other(): ...
try:
    import nothing
except ImportError:
    nothing = None
A, (B, *C) = 1, (2, 3)
D: int = 4
class Guard: ...
""",
    "star.py": "from os.path import *\n",
    "dynamic.py": "def __getattr__(name): ...\n",
    "prompts/analyst.md": "You analyse.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "configs", FILES)


def checked(folder: Path, agent: str, more: str = "") -> Parsed:
    text = f"{MODELS}entry: a\n{more}\nagents:\n  a: {agent}\n"
    return parse_config(text, file=folder / "c.yaml", env={})


def found(folder: Path, agent: str, more: str = "") -> Problem:
    problems = checked(folder, agent, more).problems
    assert len(problems) == 1, [str(problem) for problem in problems]
    return problems[0]


@pytest.mark.parametrize(
    "agent",
    [
        "{tools: [create_return]}",
        "{tools: [search]}",
        "{tools: [look_up]}",
        "{tools: [weigh]}",
        "{tools: [./tools/catalog.py]}",
        "{tools: ['./tools/catalog.py:search']}",
        "{tools: ['./tools/catalog.py:helper']}",
        "{tools: [./tools/spec.py]}",
        "{hooks: ['./subjects.py:Guard']}",
        "{interrupt: {tools: [{name: x, subject: './subjects.py:store_of'}], on_decision: './subjects.py:other'}}",
        "{hooks: ['./subjects.py:A', './subjects.py:C', './subjects.py:D', './subjects.py:nothing', './subjects.py:system']}",
        "{hooks: ['./star.py:join', './dynamic.py:anything']}",
        "{model: {provider: './subjects.py:Guard'}}",
        "{system_prompt_file: ./prompts/analyst.md}",
        "{system_prompt_file: prompts/analyst.md}",
    ],
)  # fmt: skip
def test_what_is_there_is_found_without_running_it(folder: Path, agent: str) -> None:
    assert not checked(folder, agent).problems


@pytest.mark.parametrize(
    ("agent", "message", "suggestion"),
    [
        ("{tools: [serch]}", "there is no tool 'serch' in the folder tools/ beside the config; did you mean 'search'?", "search"),
        ("{tools: [zzz]}", "there is no tool 'zzz' in the folder tools/ beside the config; use create_return, look_up, search, third or weigh", None),
        ("{tools: [broken]}", "'broken' can't be read as Python: tools/broken.py, line 1: invalid syntax", None),
        ("{tools: ['./tools/broken.py']}", "'./tools/broken.py' can't be read as Python: tools/broken.py, line 1: invalid syntax", None),
        ("{tools: [./tools/catalogue.py]}", "there is no file './tools/catalogue.py' beside the config; did you mean './tools/catalog.py'?", "./tools/catalog.py"),
        ("{tools: ['./tools/catalogue.py:search']}", "there is no file './tools/catalogue.py' beside the config; did you mean './tools/catalog.py'?", "./tools/catalog.py:search"),
        ("{tools: ['./tools/catalog.py:serch']}", "there is no 'serch' in ./tools/catalog.py; did you mean 'search'?", "./tools/catalog.py:search"),
        ("{tools: [./tools]}", "'./tools' must name a Python file, as in ./file.py:name", None),
        ("{tools: [tools/catalog.py]}", "'tools/catalog.py' is not an import spec; a file is written ./tools/catalog.py", "./tools/catalog.py"),
        ("{tools: ['subjects.py:x']}", "'subjects.py:x' is not an import spec; a file is written ./subjects.py:x", "./subjects.py:x"),
        ("{tools: ['a b']}", "'a b' is not a tool; write its name, ./file.py, ./file.py:name or package.module:name", None),
        ("{hooks: [./subjects.py]}", "'./subjects.py' does not say what to take from it; write ./subjects.py:name", None),
        ("{hooks: ['./subjects.py:']}", "'./subjects.py:' must end with the name of something in the file, as in ./file.py:name", None),
        ("{hooks: ['./subjects.py:a.b']}", "'./subjects.py:a.b' must end with the name of something in the file, as in ./file.py:name", None),
        ("{hooks: ['./subjects.py:store_off']}", "there is no 'store_off' in ./subjects.py; did you mean 'store_of'?", "./subjects.py:store_of"),
        ("{model: {provider: './models.py:Mine'}}", "there is no file './models.py' beside the config", None),
        ("{system_prompt_file: ./prompts/analist.md}", "there is no file './prompts/analist.md' beside the config; did you mean './prompts/analyst.md'?", "./prompts/analyst.md"),
        ("{system_prompt_file: ./prompts}", "'./prompts' is a folder; name a file in it", None),
    ],
)  # fmt: skip
def test_what_is_not_there_is_named_with_the_nearest_that_is(
    folder: Path, agent: str, message: str, suggestion: str | None
) -> None:
    problem = found(folder, agent)
    assert (problem.message, problem.suggestion, problem.severity) == (message, suggestion, "error")


@pytest.mark.parametrize(
    "spec",
    ["../out.py:f", "./../out.py:f", "./tools/../../out.py:f", "./tools/../subjects.py:A", "/etc/x.py:f", "~/x.py:f", "./link.py:f", "./linked/out.py:f", ".\\x.py:f", "./tools\\x.py:f", "./x\0.py:f"],
)  # fmt: skip
def test_no_spec_leads_out_of_the_folder(folder: Path, spec: str) -> None:
    write(folder.parent, {"out.py": "def f(): ...\n", "elsewhere/out.py": "def f(): ...\n"})
    (folder / "link.py").symlink_to(folder.parent / "out.py")
    (folder / "linked").symlink_to(folder.parent / "elsewhere")
    specs = ImportSpecs(folder, roots=())
    for use in (specs.check, specs.load, specs.module):
        with pytest.raises(ImportSpecError):
            use(spec)


@pytest.mark.parametrize("prompt", ["../secret.md", "./link.md", "/etc/hostname", "~/.ssh/id_rsa"])
def test_no_prompt_leads_out_of_the_folder(folder: Path, prompt: str) -> None:
    write(folder.parent, {"secret.md": "secret"})
    (folder / "link.md").symlink_to(folder.parent / "secret.md")
    assert "config's folder" in found(folder, f"{{system_prompt_file: '{prompt}'}}").message


def test_a_link_inside_the_folder_is_fine(folder: Path) -> None:
    (folder / "alias.py").symlink_to(folder / "subjects.py")
    assert ImportSpecs(folder).check("./alias.py:store_of").has("store_of")


def test_a_config_folder_that_is_a_link_is_fine(folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder)
    assert not checked(link, "{tools: [search], system_prompt_file: ./prompts/analyst.md}").problems


def test_a_prompt_that_is_no_text_is_refused(folder: Path) -> None:
    (folder / "prompts" / "analyst.md").write_bytes(b"\xff\xfe\x00")
    assert (
        found(folder, "{system_prompt_file: ./prompts/analyst.md}").message
        == "'./prompts/analyst.md' is not UTF-8 text (byte 0)"
    )


def test_a_tool_that_two_files_have_is_ambiguous_unless_one_has_its_name(folder: Path) -> None:
    write(folder, {"tools/more.py": "def search(): ...\ndef create_return(): ...\n"})
    assert found(folder, "{tools: [search]}").message == (
        "there are several tools 'search': ./tools/catalog.py:search and ./tools/more.py:search; write one of them"
    )
    assert ImportSpecs(folder).tool_spec("create_return") == "./tools/create_return.py:create_return"


def test_a_tool_under_another_name_leads_to_its_function(folder: Path) -> None:
    assert ImportSpecs(folder).tool_spec("look_up") == "./tools/catalog.py:lookup"


def test_an_imported_tool_belongs_to_the_file_it_is_written_in(folder: Path) -> None:
    write(folder, {"tools/all.py": "from .catalog import search\n"})
    assert ImportSpecs(folder).tool_spec("search") == "./tools/catalog.py:search"


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("{tools: [search], client_tools: [ask_user, search]}", "search"),
        ("{tools: [./tools/catalog.py], client_tools: [look_up]}", "look_up"),
        ("{tools: ['./tools/catalog.py:lookup'], client_tools: [look_up]}", "look_up"),
        ("{tools: [./tools/spec.py], client_tools: [weigh]}", "weigh"),
    ],
)
def test_one_name_in_tools_and_client_tools_is_an_error(folder: Path, agent: str, name: str) -> None:
    (problem,) = checked(folder, agent).errors
    assert problem.path == "agents.a.tools[0]"
    assert (
        problem.message
        == f"{name!r} is in tools and in client_tools (line 6); one name is one tool, so remove one"
    )


def test_one_tool_by_two_ways_is_an_error(folder: Path) -> None:
    problem = found(folder, "{tools: [search, ./tools/catalog.py]}")
    assert problem.message == "the tool 'search' is listed already (line 6); remove one"
    assert problem.path == "agents.a.tools[1]"


def test_a_file_that_shows_no_tools_is_a_hint(folder: Path) -> None:
    problem = found(folder, "{tools: [./subjects.py]}")
    assert (problem.severity, problem.culprit) == ("hint", "./subjects.py")


def test_a_client_tool_nobody_knows_is_a_hint(folder: Path) -> None:
    problem = found(folder, "{client_tools: [ask_usr]}")
    assert (problem.severity, problem.suggestion) == ("hint", "ask_user")
    assert checked(folder, "{client_tools: [ask_usr]}").config is not None


def test_client_tools_declared_beside_the_config_are_known(folder: Path) -> None:
    declared = "name: pick_colour\ndescription: Pick.\nanswer: {}\n"
    write(folder, {"client_tools/pick.yaml": declared})
    assert not checked(folder, "{client_tools: [pick_colour, ask_user, request_files]}").problems


def test_a_declaration_with_mistakes_is_a_hint_that_names_its_file_and_line(folder: Path) -> None:
    write(folder, {"client_tools/pick.yaml": "name: pick_colour\nanswer: {}\ntitel: x\n"})
    problem = found(folder, "{client_tools: [ask_user, pick_colour]}")
    assert (problem.severity, problem.path) == ("hint", "agents.a.client_tools[1]")
    assert problem.message == (
        "'pick_colour' can't be used, because its file is not valid: description: the key 'description' is missing; "
        "add it here (client_tools/pick.yaml:1:1, and 1 more)"
    )


def test_asking_for_data_sources_without_any_is_a_hint(folder: Path) -> None:
    problem = found(folder, "{client_tools: [request_datasources]}")
    assert (problem.severity, problem.message) == (
        "hint",
        "'request_datasources' has nothing to offer: there is no datasources.yaml beside the config",
    )
    write(folder, {"datasources.yaml": "datasources: {a: {title: A}}"})
    problem = found(folder, "{client_tools: [request_datasources]}")
    assert problem.message.endswith("the key 'model_reads' is missing; add it here (datasources.yaml:1:15)")
    write(folder, {"datasources.yaml": "datasources: {a: {title: A, model_reads: a.csv}}"})
    assert not checked(folder, "{client_tools: [request_datasources]}").problems


def test_packages_load_from_import_roots_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_IMPORT_ROOTS", raising=False)
    problem = found(folder, "{hooks: ['json.decoder:JSONDecoder']}")
    assert problem.message == (
        "'json.decoder:JSONDecoder' is refused: 'json' is not among the packages in WORKBENCH_IMPORT_ROOTS "
        "(it names none); a file beside the config is written ./json/decoder.py:JSONDecoder"
    )
    for roots in ("json", "email, json", "json.decoder"):
        monkeypatch.setenv("WORKBENCH_IMPORT_ROOTS", roots)
        assert not checked(folder, "{hooks: ['json.decoder:JSONDecoder']}").problems
    monkeypatch.setenv("WORKBENCH_IMPORT_ROOTS", "jso")
    assert "(it names jso)" in found(folder, "{hooks: ['json.decoder:JSONDecoder']}").message


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("json.decoder:Decoder", "there is no 'Decoder' in json.decoder; did you mean 'JSONDecoder'?"),
        ("json.nothing:x", "'json.nothing:x' can't be found: there is no module 'json.nothing' installed"),
        ("json.decoder.x:y", "'json.decoder.x:y' can't be found: 'json.decoder' is a module, not a package"),
        ("nowhere:x", "'nowhere:x' can't be found: there is no module 'nowhere' installed"),
    ],
)
def test_code_of_an_import_root_is_checked_like_a_file(folder: Path, spec: str, message: str) -> None:
    with pytest.raises(ImportSpecError) as caught:
        ImportSpecs(folder, roots=("json", "nowhere")).check(spec)
    assert str(caught.value) == message


def test_checking_a_package_does_not_import_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        folder.parent / "site",
        {"explosive/__init__.py": "raise SystemExit(3)\n", "explosive/part.py": "def f(): ...\n"},
    )
    monkeypatch.syspath_prepend(folder.parent / "site")
    assert ImportSpecs(folder, roots=("explosive",)).check("explosive.part:f").has("f")


def test_edges_and_models_of_a_config_are_checked_too(folder: Path) -> None:
    more = "orchestrations: {t: {mode: graph, entry_name: a, edges: [{from: a, to: b, condition: './subjects.py:nope'}]}}"
    text = f"{MODELS}entry: a\n{more}\nagents: {{a: {{}}, b: {{}}}}\n".replace(
        "models: {", "models: {m: {provider: './subjects.py:none'}, "
    )
    assert [one.path for one in parse_config(text, file=folder / "c.yaml").problems] == [
        "models.m.provider",
        "orchestrations.t.edges[0].condition",
    ]


def test_files_are_left_alone_when_they_are_not_to_be_checked(folder: Path) -> None:
    text = f"{MODELS}agents: {{a: {{tools: [nope], hooks: ['./nope.py:x'], system_prompt_file: ./no.md}}}}\n"
    assert not parse_config(text, file=folder / "c.yaml", check_specs=False).problems


def test_a_huge_or_strange_source_is_refused_and_no_crash(folder: Path) -> None:
    write(folder, {"deep.py": "x = " + "(" * 5000 + ")" * 5000, "null.py": "x = 1\0\n"})
    (folder / "big.py").write_bytes(b"#" * 2_000_000)
    for name in ("deep", "null", "big"):
        assert "can't be read as Python" in found(folder, f"{{hooks: ['./{name}.py:x']}}").message
