"""`${NAME}` and `${NAME:-default}` in a config's values.

- Values are filled in after YAML has been read, one scalar at a time, so what a variable holds is always the text of
  that one value and never becomes YAML. Keys are left as they are.
- A name is looked up under `vars` first, then outside: in the stored variables of a config version, else in the
  environment. The name of a var inside itself (`REGION: ${REGION:-eu}`) means the one outside.
- The default counts when the variable is unset or empty.
- A value that is one reference, without quotes and with nothing around it, is read like any plain value, so
  `ttl_seconds: ${TTL:-600}` is a number; in quotes, or with text around it, it is text.
- `$$` is a dollar sign: `$${NAME}` stays `${NAME}`. A `$` before anything else is a dollar sign too.

What was found outside is kept with a config version, so that another process resolves it alike. Names that look like
secrets are not kept; they always come from the environment.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from workbench.config.node import Place
from workbench.config.problem import KeyPath, nearest
from workbench.config.report import Report
from workbench.config.scalar import Value, resolve
from workbench.policy import is_secret_key

_DEEPEST: Final = 30
"""How many vars may lead through each other to a value."""

_MOST_FILLED: Final = 1024 * 1024
"""Characters that all variables of a config may fill in together: vars that multiply each other end here."""

_PIECE: Final = re.compile(r"\$\$|\$\{([^}]*)(\}?)")
_REFERENCE: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)


@dataclass(frozen=True)
class Definition:
    """One entry of `vars`."""

    value: Value
    plain: bool
    place: Place


class Unresolved(Exception):
    """A value that can't be filled in; the reason is in the report."""


class Variables:
    """Looks names up and fills them in, and remembers what was found outside the config."""

    def __init__(
        self,
        definitions: Mapping[str, Definition],
        environment: Mapping[str, str],
        stored: Mapping[str, str] | None,
        report: Report,
    ) -> None:
        self._definitions = definitions
        self._environment = environment
        self._stored = stored
        self._report = report
        self._found: dict[str, str] = {}
        self._several: set[str] = set()
        self._known: dict[str, Value] = {}
        self._broken: set[str] = set()
        self._room = _MOST_FILLED

    @property
    def outside(self) -> dict[str, str]:
        """What was found outside the config, by name, secrets aside.

        A name that took several defaults is left out: its defaults stand in the text.
        """
        return {name: value for name, value in self._found.items() if name not in self._several}

    def value(self, name: str, within: tuple[str, ...] = ()) -> Value:
        """The value of an entry of `vars`. Raises Unresolved."""
        if name in self._broken:
            raise Unresolved
        if name not in self._known:
            definition = self._definitions[name]
            try:
                self._known[name] = (
                    self.fill(
                        definition.value, definition.plain, definition.place, ("vars", name), (*within, name)
                    )
                    if isinstance(definition.value, str)
                    else definition.value
                )
            except Unresolved:
                self._broken.add(name)
                raise
        return self._known[name]

    def fill(
        self, text: str, plain: bool, place: Place, path: KeyPath, within: tuple[str, ...] = ()
    ) -> Value:
        """The value of a scalar with everything filled in. Raises Unresolved.

        Args:
            text: the scalar as written.
            plain: whether it is written without quotes.
            place: where it stands, for the report.
            path: its key path, for the report.
            within: the vars whose values are being looked up, outermost first.
        """
        whole = _PIECE.fullmatch(text)
        if whole and whole.group() != "$$":
            value = self._piece(whole, place, path, within)
            if not isinstance(value, str):
                return value if plain else _as_text(value)
            return self._typed(value, place, path) if plain else value
        filled: list[str] = []
        end = 0
        failed = False
        for piece in _PIECE.finditer(text):
            filled.append(text[end : piece.start()])
            end = piece.end()
            try:
                value = "$" if piece.group() == "$$" else self._piece(piece, place, path, within)
            except Unresolved:
                failed = True
                continue
            filled.append(_as_text(value))
            self._room -= len(filled[-1])
            if self._room < 0:
                message = (
                    f"variables fill in more than {_MOST_FILLED:,} characters by here; no config needs that"
                )
                self._refuse(message, place, path, "${")
        if failed:
            raise Unresolved
        return "".join([*filled, text[end:]])

    def _typed(self, text: str, place: Place, path: KeyPath) -> Value:
        try:
            return resolve(text)
        except ValueError as error:
            self._report.add(str(error), place, path)
            raise Unresolved from None

    def _piece(self, piece: re.Match[str], place: Place, path: KeyPath, within: tuple[str, ...]) -> Value:
        written, closed = piece.group(1), piece.group(2)
        reference = _REFERENCE.fullmatch(written)
        if not closed:
            message = f"'${{{written[:40]}' has no closing '}}'; write $$ for a dollar sign"
            return self._refuse(message, place, path, piece.group()[:42])
        if reference is None or "${" in (reference.group(2) or ""):
            message = (
                f"{piece.group()[:60]!r} is not a variable; write ${{NAME}} or ${{NAME:-default}}, "
                f"or $$ for a dollar sign"
            )
            return self._refuse(message, place, path, piece.group()[:60])
        name, default = reference.group(1), reference.group(2)
        if name in self._definitions and name not in within:
            if len(within) >= _DEEPEST:
                message = f"vars lead through more than {_DEEPEST} others to get here; no config needs that"
                return self._refuse(message, place, path, name)
            return self.value(name, within)
        if name in within[:-1]:
            circle = " → ".join([*within[within.index(name) :], name])
            return self._refuse(f"vars refer to each other in a circle: {circle}", place, path, name)
        return self._outside(name, default, place, path)

    def _outside(self, name: str, default: str | None, place: Place, path: KeyPath) -> str:
        found = self._look_up(name, has_default=default is not None)
        if found is None or (found == "" and default is not None):
            found = default
        if found is None:
            near = nearest(name, [known for known in self._definitions if known != name])
            hint = f"did you mean ${{{near}}}? Else set" if near else "set"
            message = (
                f"the variable ${{{name}}} is not set; {hint} it in the environment or under vars, or give a "
                f"default: ${{{name}:-…}}"
            )
            return self._refuse(message, place, path, name, near)
        if not is_secret_key(name) and self._found.setdefault(name, found) != found:
            self._several.add(name)
        return found

    def _look_up(self, name: str, *, has_default: bool) -> str | None:
        if self._stored is None or is_secret_key(name):
            return self._environment.get(name)
        # A stored version used the default of a name that it doesn't list, whatever the environment says by now.
        return self._stored.get(name) if has_default else self._stored.get(name, self._environment.get(name))

    def _refuse(
        self, message: str, place: Place, path: KeyPath, culprit: str, suggestion: str | None = None
    ) -> str:
        self._report.add(message, place, path, culprit=culprit, suggestion=suggestion)
        raise Unresolved


def _as_text(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return ""
        case _:
            return str(value)
