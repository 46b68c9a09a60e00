import pytest

from tests.agents.talk import agent
from workbench.agents.client_tools import ClientToolAgentTool, catalogue
from workbench.agents.scripted import ScriptedModel
from workbench.agents.tools import ToolLoadError, load_tools, tool_spec
from workbench.config import ImportSpecs, parse_config

CATALOG = '''
"""The catalogue."""
from strands import tool
from ..helper import imported_tool

@tool
def search(query: str, limit: int = 5) -> str:
    """Search the catalogue.

    Args:
        query: What to look for.
    """
    return f"found {query}"

@tool(name="look_up", description="Look one up")
def _look(sku: str) -> str:
    return sku

def price_of(sku: str) -> float:
    """Say a price."""
    return 1.5

def _private(sku: str) -> str:
    """Not a tool."""
    return sku
'''

PLAIN = '''
from strands import ToolContext

def whole(order: str, times: int = 1) -> str:
    """Do it."""
    return order * times

async def patient(order: str) -> str:
    """Take its time."""
    return order

def knowing(order: str, context: ToolContext) -> str:
    """Know who asks."""
    return context.tool_use["toolUseId"]

def silent(order: str) -> str:
    return order

def untyped(order, times: int = 1) -> str:
    """Guess."""
    return order

def greedy(*orders: str) -> str:
    """Take all."""
    return ""

def lost(order: "Nowhere") -> str:
    """Point nowhere."""
    return ""

number = 4
'''


@pytest.fixture
def folder(tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tmp_path / "helper.py").write_text(
        "from strands import tool\n\n"
        '@tool\ndef imported_tool(x: str) -> str:\n    """Not of the catalogue."""\n    return x\n'
    )
    (tools / "catalog.py").write_text(CATALOG)
    (tools / "plain.py").write_text(PLAIN)
    (tools / "create_return.py").write_text(
        'def create_return(order: str) -> str:\n    """Create a return."""\n    return order\n'
    )
    return tmp_path


def load(folder, *names):
    listed = "".join(f"      - {name!r}\n" for name in names)
    text = (
        'version: "1"\nmodels: {main: {provider: scripted}}\nagents:\n  merchant:\n    model: main\n    tools:\n'
        + listed
    )
    parsed = parse_config(text, file="shop.yaml", folder=folder, check_specs=False)
    config = parsed.raise_if_invalid()
    return load_tools(config.agents["merchant"], config, ImportSpecs(folder))


def names(folder, *specs):
    return [tool.tool_name for tool in load(folder, *specs)]


def refused(folder, *specs):
    with pytest.raises(ToolLoadError) as caught:
        load(folder, *specs)
    return caught.value


# The forms


def test_a_bare_name_is_the_function_of_that_name_in_a_file_of_that_name(folder):
    assert names(folder, "create_return") == ["create_return"]


def test_a_bare_name_may_be_in_any_module_of_tools(folder):
    assert names(folder, "search", "price_of") == ["search", "price_of"]


def test_a_bare_name_is_a_tools_own_name_whatever_its_function_is_called(folder):
    assert names(folder, "look_up") == ["look_up"]


def test_a_file_gives_the_tools_it_defines_and_none_that_it_only_imports(folder):
    assert names(folder, "./tools/catalog.py") == ["search", "look_up"]


def test_one_function_of_a_file_can_be_named(folder):
    assert names(folder, "./tools/catalog.py:search", "./tools/plain.py:whole") == ["search", "whole"]


def test_tools_come_from_packages_that_are_import_roots(folder, monkeypatch):
    (folder / "my_shop_tools.py").write_text(CATALOG.replace("from ..helper import imported_tool", ""))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("WORKBENCH_IMPORT_ROOTS", "my_shop_tools")
    assert names(folder, "my_shop_tools:search") == ["search"]


def test_a_module_with_a_tool_spec_is_a_tool(folder):
    (folder / "old.py").write_text(
        "TOOL_SPEC = {'name': 'old', 'description': 'd', 'inputSchema': {'json': {'type': 'object'}}}\n\n"
        "def old(tool, **kwargs):\n    return {'toolUseId': tool['toolUseId'], 'status': 'success', 'content': []}\n"
    )
    assert names(folder, "./old.py") == ["old"]
    assert names(folder, "./old.py:old") == ["old"]


def test_the_tools_of_an_agent_keep_their_order_and_run(folder):
    tools = load(
        folder,
        "./tools/plain.py:whole",
        "create_return",
        "./tools/plain.py:patient",
        "./tools/plain.py:knowing",
    )
    calls = [{"tool": tool.tool_name, "input": f"A{n}", "id": f"call{n}"} for n, tool in enumerate(tools)]
    talk = agent(ScriptedModel({"script": [{"tools": calls}]}), *tools)
    talk("go")
    said = {
        b["toolResult"]["toolUseId"]: b["toolResult"]["content"][0]["text"]
        for b in talk.messages[2]["content"]
    }
    assert said == {"call0": "A0", "call1": "A1", "call2": "A2", "call3": "call3"}


# What can't be loaded


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("nowhere", "there is no tool 'nowhere' in the folder tools/ beside the config"),
        ("./tools/plain.py", "has no @tool function; add @tool, or name one, as in ./tools/plain.py:whole"),
        ("./tools/plain.py:silent", "has no docstring"),
        ("./tools/plain.py:untyped", "doesn't say the type of its parameter 'order'"),
        ("./tools/plain.py:greedy", "takes *orders: str"),
        ("./tools/plain.py:lost", "annotations that can't be resolved: name 'Nowhere' is not defined"),
        ("./tools/plain.py:number", "is a int, not a tool or a function"),
        ("./tools/plain.py:missing", "missing"),
        ("./tools/missing.py", "missing.py"),
        ("../outside.py:tool", "outside"),
        ("os:remove", "os"),
    ],
)
def test_a_tool_that_cannot_be_loaded_says_which_why_and_where(folder, spec, problem):
    error = refused(folder, "create_return", spec)
    assert problem in error.sentence
    assert (error.path, error.file, error.line) == ("agents.merchant.tools[1]", "shop.yaml", 8)
    assert str(error).startswith("agents.merchant.tools[1]: ") and "shop.yaml:8:" in str(error)


def test_a_tool_file_that_raises_on_import_names_its_line_and_exception(folder):
    (folder / "tools" / "broken.py").write_text("x = 1\nraise RuntimeError('no database')\n")
    error = refused(folder, "./tools/broken.py")
    assert "broken.py" in error.sentence and "no database" in error.sentence and "2" in error.sentence
    assert "Traceback" not in str(error)


def test_a_broken_module_does_not_hide_a_tool_of_another_file(folder):
    (folder / "tools" / "broken.py").write_text("raise RuntimeError('no database')\n")
    assert names(folder, "search") == ["search"]


def test_two_tools_of_one_name_are_refused(folder):
    error = refused(folder, "./tools/catalog.py", "./tools/catalog.py:search")
    assert (
        "'./tools/catalog.py:search' gives a second tool named 'search', after './tools/catalog.py'"
        in error.sentence
    )


def test_a_bare_name_in_two_modules_is_refused_until_one_is_named(folder):
    (folder / "tools" / "archive.py").write_text(CATALOG)
    assert (
        "several tools 'search': ./tools/archive.py:search and ./tools/catalog.py:search"
        in refused(folder, "search").sentence
    )


def test_a_bare_name_without_a_tools_folder_is_refused(tmp_path):
    assert "there is no tool 'search' in the folder tools/" in refused(tmp_path, "search").sentence


def test_a_name_no_provider_takes_is_refused(folder):
    (folder / "odd.py").write_text(
        'from strands import tool\n\n@tool(name="set price")\ndef f(x: str) -> str:\n    """Set."""\n    return x\n'
    )
    assert "names its tool 'set price'" in refused(folder, "./odd.py").sentence


# Specs


def test_a_spec_has_one_form_whichever_way_it_was_declared(folder):
    spec = tool_spec(load(folder, "search")[0])
    assert (spec.name, spec.description) == ("search", "Search the catalogue.")
    assert spec.input_schema["properties"]["query"] == {"type": "string", "description": "What to look for."}
    assert spec.input_schema["required"] == ["query"]
    ask = tool_spec(ClientToolAgentTool(catalogue()["ask_user"]))
    assert ask.input_schema["required"] == ["questions"]


def test_a_schema_without_properties_is_completed(folder):
    (folder / "old.py").write_text(
        "TOOL_SPEC = {'name': 'old', 'description': 'd', 'inputSchema': {'type': 'object'}}\n\n"
        "def old(tool, **kwargs):\n    return {}\n"
    )
    assert tool_spec(load(folder, "./old.py")[0]).input_schema == {
        "type": "object",
        "properties": {},
        "required": [],
    }
