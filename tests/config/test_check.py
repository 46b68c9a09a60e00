"""`workbench check` and `workbench schema`, as they are called."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.config.texts import MODELS, write
from workbench.cli import main
from workbench.config import json_schema

GOOD = f"agents: {{a: {{}}}}\n{MODELS}"
HINTED = f"agents: {{a: {{client_tools: [sign]}}}}\n{MODELS}"
BAD = f"agents:\n  a: {{auto: no, colour: red}}\n{MODELS}"


def test_a_valid_config_is_one_line_and_exits_with_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, {"good.yaml": GOOD}) / "good.yaml"
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: valid, 1 agent, entry 'a'\n"


def test_every_mistake_is_a_line_and_errors_exit_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"bad.yaml": BAD, "good.yaml": GOOD})
    assert main(["check", str(tmp_path / "bad.yaml"), str(tmp_path / "good.yaml")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in lines[:2]] == ["error", "error"]
    assert lines[0].endswith("bad.yaml:2:13)")
    assert lines[2] == f"{tmp_path / 'bad.yaml'}: not valid, 2 errors"
    assert lines[3].endswith("good.yaml: valid, 1 agent, entry 'a'")


def test_a_hint_is_printed_and_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"a.yaml": HINTED})
    assert main(["check", str(tmp_path / "a.yaml")]) == 0
    assert capsys.readouterr().out.startswith(
        "hint: agents.a.client_tools[0]: 'sign' is not a client tool known here"
    )


def test_a_folder_stands_for_its_configs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"a.yaml": GOOD, "b.yml": GOOD, "notes.txt": ""})
    assert main(["check", str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    (tmp_path / "empty").mkdir()
    assert main(["check", str(tmp_path / "empty")]) == 1
    assert "there are no .yaml files in this folder" in capsys.readouterr().out


SOURCES = "datasources: {a: {title: A, model_reads: a.csv}}\n"
TOOL = "name: pick\ndescription: Pick.\nanswer: {}\n"


def test_a_folder_stands_for_its_data_sources_and_client_tools_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"a.yaml": GOOD, "datasources.yaml": SOURCES, "client_tools/pick.yaml": TOOL}
    write(tmp_path, files)
    assert main(["check", str(tmp_path)]) == 0
    assert [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()] == [
        "valid, 1 agent, entry 'a'",
        "valid, 1 data source",
        "valid, client tool 'pick'",
    ]
    write(tmp_path, {"client_tools/pick.yaml": TOOL + "colour: red\n"})
    assert main(["check", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("error: colour: unknown key 'colour'") and lines[2].endswith("pick.yaml:4:1)")
    assert lines[3].endswith("client_tools/pick.yaml: not valid, 1 error")


@pytest.mark.parametrize("name", ["datasources.yaml", "client_tools/pick.yaml"])
def test_a_file_beside_the_configs_is_checked_as_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"datasources.yaml": SOURCES, "client_tools/pick.yaml": TOOL})
    assert main(["check", "--json", str(tmp_path / name)]) == 0
    (one,) = json.loads(capsys.readouterr().out)["files"]
    assert one.get("datasources", ["a"]) == ["a"] and one.get("client_tool", "pick") == "pick"
    monkeypatch.chdir((tmp_path / name).parent)
    assert main(["check", Path(name).name]) == 0
    assert main(["check", "."]) == 0
    write(tmp_path, {name: "a: 1\n"})
    assert main(["check", Path(name).name]) == 1


def test_a_missing_file_is_a_mistake_like_any_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path / "none.yaml")]) == 1
    assert "there is no such file" in capsys.readouterr().out


def test_the_outcome_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"bad.yaml": BAD, "good.yaml": GOOD})
    assert main(["check", "--json", str(tmp_path)]) == 1
    bad, good = json.loads(capsys.readouterr().out)["files"]
    assert good == {
        "file": str(tmp_path / "good.yaml"),
        "valid": True,
        "entry": "a",
        "agents": ["a"],
        "problems": [],
    }
    assert (bad["valid"], bad["entry"], bad["agents"]) == (False, None, [])
    assert bad["problems"][0] == {
        "severity": "error",
        "message": "'no' is a text, not true or false; write false",
        "file": str(tmp_path / "bad.yaml"),
        "line": 2,
        "column": 13,
        "path": "agents.a.auto",
        "culprit": "no",
        "suggestion": None,
    }


def test_a_script_that_cannot_be_played_is_a_mistake_on_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "agents: {a: {model: m}}\nmodels:\n  m:\n    provider: scripted\n    params:\n      script:\n        - {tol: x}\n"
    write(tmp_path, {"a.yaml": text})
    assert main(["check", str(tmp_path / "a.yaml")]) == 1
    assert "models.m.params.script[0].tol: unknown key 'tol'; did you mean 'tool'?" in capsys.readouterr().out


def test_checking_runs_none_of_the_config_s_code(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "tools/boom.py": "raise SystemExit('ran')\ndef boom(): ...\n",
            "a.yaml": f"agents: {{a: {{tools: [boom]}}}}\n{MODELS}",
        },
    )
    assert main(["check", str(tmp_path / "a.yaml")]) == 0


def test_the_schema_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json_schema(with_variables=True)


@pytest.mark.parametrize("arguments", [[], ["check"], ["chekc", "x"]])
def test_wrong_arguments_exit_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: workbench" in capsys.readouterr().err


def test_output_that_nobody_reads_to_its_end_is_no_crash() -> None:
    writer = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; sys.stdin.read(); from workbench.cli import main; main(['schema'])",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert writer.stdin is not None and writer.stdout is not None and writer.stderr is not None
    writer.stdout.close()
    writer.stdin.close()
    complaints = writer.stderr.read()
    writer.stderr.close()
    writer.wait()
    assert complaints == b""
