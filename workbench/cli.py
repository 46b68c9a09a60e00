"""The `workbench` command. Each subcommand is a function that adds its arguments, and one that does the work."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from workbench.config import config_files, json_schema
from workbench.config.check import as_text, check_files

Subcommands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Work: TypeAlias = Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command. Returns its exit code: 0 when all is well, 1 when not; 2 is for wrong arguments."""
    parser = argparse.ArgumentParser(
        prog="workbench", description="A workbench for human-in-the-loop agents."
    )
    subcommands = parser.add_subparsers(metavar=None, required=True, title="commands")
    for add in COMMANDS:
        add(subcommands)
    arguments = parser.parse_args(argv)
    work: Work = arguments.work
    try:
        return work(arguments)
    except BrokenPipeError:
        # Whoever reads the output has had enough, as `head` does; Python would complain once more on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def add_check(subcommands: Subcommands) -> None:
    """`workbench check`: find everything that is wrong with configs."""
    parser = subcommands.add_parser(
        "check",
        help="find everything that is wrong with configs",
        description="Find everything that is wrong with configs, each mistake with its line and column. A folder "
        "stands for its configs, its data sources (datasources.yaml) and the client tools it declares "
        "(client_tools/). Exits with 1 when there is an error; a hint is none. None of the configs' code runs.",
    )
    parser.add_argument(
        "configs", nargs="+", type=Path, metavar="CONFIG", help="a YAML file, or a folder of them"
    )
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    parser.set_defaults(work=check)


def check(arguments: argparse.Namespace) -> int:
    """Check configs and print what was found."""
    # The scripts of scripted models are judged where they are played, and what plays them takes a while to import.
    from workbench.agents.models import script_problems

    checked = check_files(arguments.configs, [script_problems])
    _print_json({"files": [one.to_dict() for one in checked]}) if arguments.json else print(as_text(checked))
    return 0 if all(one.valid for one in checked) else 1


def add_schema(subcommands: Subcommands) -> None:
    """`workbench schema`: the JSON Schema of configs."""
    parser = subcommands.add_parser(
        "schema",
        help="print the JSON Schema of configs, for editors",
        description="Print the JSON Schema (draft 2020-12) of configs: every key, what it may be and what it means.",
    )
    parser.set_defaults(work=schema)


def schema(arguments: argparse.Namespace) -> int:
    """Print the JSON Schema of configs."""
    _print_json(json_schema(with_variables=True))
    return 0


def add_run(subcommands: Subcommands) -> None:
    """`workbench run`: the app."""
    parser = subcommands.add_parser(
        "run",
        help="open the app",
        description="Open the app on a folder of configs. It listens to this machine only, because whoever reaches it "
        "can approve calls. Runs go on while no page is open, and are taken up again after a restart. The config that "
        "is named, or the only one there is, is served over HTTP on the same port too, as by workbench serve.",
    )
    parser.add_argument(
        "configs",
        nargs="?",
        type=Path,
        default=Path("configs"),
        metavar="CONFIGS",
        help="a folder of configs, or one config in it (default: configs)",
    )
    parser.add_argument("--port", type=int, default=8501, help="the port to listen on (default: 8501)")
    _add_db(parser)
    add_http(parser)
    parser.add_argument("--no-browser", action="store_true", help="don't open a browser")
    parser.set_defaults(work=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve the app until it is interrupted."""
    configs: Path = arguments.configs
    folder = configs.parent if configs.is_file() else configs
    if not folder.is_dir():
        print(
            f"There is no folder {str(configs)!r} with configs. Name one: workbench run CONFIGS",
            file=sys.stderr,
        )
        return 1
    # Streamlit takes a second to import; the other commands don't need it.
    from workbench import server

    if not 0 < arguments.port < 65_536:
        print(f"A port is a number from 1 to 65535, not {arguments.port}.", file=sys.stderr)
        return 1
    if not server.port_is_free(arguments.port):
        print(
            f"Port {arguments.port} is taken. Choose another one: workbench run --port PORT", file=sys.stderr
        )
        return 1
    from workbench.service.guard import Rules

    listed = [configs] if configs.is_file() else config_files(folder)
    server.run(
        configs=folder,
        db=arguments.db,
        port=arguments.port,
        config=listed[0] if len(listed) == 1 else None,
        session_approvals=arguments.session_approvals,
        rules=Rules(arguments.token.strip(), origins=tuple(arguments.allow_origin)),
        open_browser=not arguments.no_browser,
    )
    return 0


def add_serve(subcommands: Subcommands) -> None:
    """`workbench serve`: a config over HTTP."""
    parser = subcommands.add_parser(
        "serve",
        help="serve a config over HTTP",
        description="Serve a config over HTTP: the invoke API, and an endpoint for AG-UI clients. Whoever reaches the "
        "port can approve calls, so it listens to this machine only, unless a token is given.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the config to serve")
    parser.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1); another needs a token"
    )
    parser.add_argument("--port", type=int, default=8090, help="the port to listen on (default: 8090)")
    _add_db(parser)
    add_http(parser)
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a further name under which the service may be called",
    )
    parser.set_defaults(work=serve)


def add_http(parser: argparse.ArgumentParser) -> None:
    """Add what says who may call over HTTP, and how long session approvals last."""
    parser.add_argument(
        "--session-approvals",
        choices=("memory", "sqlite"),
        default="memory",
        help="where what is allowed for a session is kept: memory forgets it when the service ends (default)",
    )
    parser.add_argument(
        "--token",
        default=os.environ.get("WORKBENCH_TOKEN", ""),
        help="what every HTTP request must carry as a Bearer token (default: WORKBENCH_TOKEN)",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="URL",
        help="a web page's origin, such as https://example.org, from which it may be called",
    )


def serve(arguments: argparse.Namespace) -> int:
    """Serve a config until interrupted."""
    config: Path = arguments.config
    if not config.is_file():
        return _refuse(f"There is no config {str(config)!r}.")
    from workbench.runs.errors import ConfigUnknown
    from workbench.service import serve as service
    from workbench.store import StoreError

    if not service.is_loopback(arguments.host) and not arguments.token.strip():
        return _refuse(
            f"Whoever reaches {arguments.host} could approve calls. Give a token: --token or WORKBENCH_TOKEN."
        )
    try:
        service.serve(
            service.Settings(
                config=config,
                db=arguments.db,
                host=arguments.host,
                port=arguments.port,
                session_approvals=arguments.session_approvals,
                token=arguments.token.strip(),
                hosts=tuple(arguments.allow_host),
                origins=tuple(arguments.allow_origin),
            )
        )
    except (ConfigUnknown, StoreError) as error:
        return _refuse(str(error))
    return 0


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


def _add_db(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--db",
        type=Path,
        default=Path(os.environ.get("WORKBENCH_DB") or "workbench.db"),
        metavar="PATH",
        help="the database (default: WORKBENCH_DB, else workbench.db)",
    )


COMMANDS: tuple[Callable[[Subcommands], None], ...] = (add_run, add_serve, add_check, add_schema)
"""What adds each subcommand, in the order of the help."""


def _print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
