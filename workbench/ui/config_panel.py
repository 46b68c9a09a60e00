"""The config panel: the YAML beside the conversation, checked as one types, applied when one says so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from workbench.config import ConfigInvalid, Parsed, Problem
from workbench.policy.difference import Loosening
from workbench.runs.engine import Engine
from workbench.runs.errors import EngineRefused, LooseningUnconfirmed
from workbench.runs.shelf import DiskChange
from workbench.store import ConfigVersion, StaleBase, StoreError
from workbench.ui import answering, page_words
from workbench.ui.text import label
from workbench.ui.trouble import shielded
from workbench.ui.yaml_editor import Diagnostic, edited_text, yaml_editor

EDITOR_HEIGHT = 440


def render_config(engine: Engine, file: str, *, by: str) -> None:
    """Draw the editor of one config file with its problems, *Apply*, and what changed elsewhere."""

    @st.fragment(run_every=3)
    @shielded
    def panel() -> None:
        try:
            live = engine.current(file)
        except EngineRefused as refused:
            st.warning(label(str(refused)))
            return
        _Panel(engine, file, live, by).render()

    panel()


class _Panel:
    def __init__(self, engine: Engine, file: str, live: ConfigVersion, by: str) -> None:
        self.engine = engine
        self.file = file
        self.live = live
        self.by = by
        self.slot = f"wb-config-{Path(file).name}"
        base: int | None = st.session_state.get(f"{self.slot}-base")
        if base is None:
            base = self._load(live.number)
        self.base = base

    def _load(self, number: int) -> int:
        """Take a version as the base of the editor's text, and put its text into the editor."""
        st.session_state[f"{self.slot}-revision"] = self.revision + 1
        self._rebase(number)
        return number

    def _rebase(self, number: int) -> None:
        """Take a version as the base of the editor's text, which stays."""
        st.session_state[f"{self.slot}-base"] = number

    @property
    def revision(self) -> int:
        """Counts the texts that were put into the editor, rather than typed."""
        revision: int = st.session_state.get(f"{self.slot}-revision", 0)
        return revision

    @property
    def _base_text(self) -> str:
        for version in self.engine.store.configs.list(self.file):
            if version.number == self.base:
                return version.text
        return self.live.text

    def render(self) -> None:
        key = f"{self.slot}-editor"
        base_text = self._base_text
        text = edited_text(key, text=base_text, revision=self.revision)
        changed = text != base_text
        if not changed and self.base != self.live.number:
            # Nothing of the person's own is in the editor: follow the newest version.
            self.base = self._load(self.live.number)
            base_text = text = self.live.text
        parsed = self.engine.check(self.file, text)
        self._heading(changed)
        self._elsewhere(changed)
        goto = self._goto()
        with st.container(key=f"{self.slot}-frame"):
            state = yaml_editor(
                base_text,
                revision=self.revision,
                key=key,
                diagnostics=[_diagnostic(problem) for problem in parsed.problems],
                height=EDITOR_HEIGHT,
                goto_line=goto[0] if goto else None,
                goto_token=goto[1] if goto else None,
                label=page_words.editor_label(Path(self.file).name),
            )
        self._problems(parsed)
        self._actions(text, changed, parsed, saved=state.saved)

    def _heading(self, changed: bool) -> None:
        name = Path(self.file).name
        st.caption(label(page_words.config_heading(name, self.live.number, changed)))

    def _elsewhere(self, changed: bool) -> None:
        """Say what happened to this config outside this editor."""
        disk = self.engine.disk_change(self.file)
        if disk is not None:
            self._disk(disk)
        if changed and self.base != self.live.number:
            with st.container(border=True):
                st.markdown(f":material/sync_problem: {label(page_words.stale(self.base, self.live))}")
                with st.container(horizontal=True):
                    st.button(
                        page_words.keep_mine(self.live.number),
                        key=f"{self.slot}-rebase",
                        on_click=self._rebase,
                        args=(self.live.number,),
                    )
                    st.button(
                        page_words.take_theirs(self.live.number),
                        key=f"{self.slot}-theirs",
                        on_click=self._revert,
                    )
                with st.expander(page_words.show_version(self.live.number)):
                    st.code(self.live.text, language="yaml", height=240)

    def _disk(self, disk: DiskChange) -> None:
        with st.container(border=True):
            st.markdown(f":material/draft: {label(disk.sentence)}")
            if disk.kind != "draft":
                return
            _render_loosenings(disk.loosenings)
            with st.container(horizontal=True):
                st.button(page_words.APPLY_DISK, key=f"{self.slot}-disk-apply", on_click=self._confirm_disk)
                st.button(
                    page_words.discard_disk(self.live.number),
                    key=f"{self.slot}-disk-drop",
                    on_click=self._drop_disk,
                )

    def _problems(self, parsed: Parsed) -> None:
        if parsed.errors:
            st.markdown(
                f":material/error: **{label(page_words.invalid(len(parsed.errors), self.live.number))}**"
            )
        for index, problem in enumerate(parsed.problems[:8]):
            icon = ":material/error:" if problem.severity == "error" else ":material/info:"
            st.button(
                label(page_words.problem(problem.line, problem.message)),
                key=f"{self.slot}-problem-{index}",
                icon=icon,
                type="tertiary",
                on_click=self._go_to,
                args=(problem.line,),
                wrap=True,
            )
        if len(parsed.problems) > 8:
            st.caption(page_words.more_problems(len(parsed.problems) - 8))

    def _actions(self, text: str, changed: bool, parsed: Parsed, *, saved: bool) -> None:
        loose: tuple[Loosening, ...] | None = st.session_state.get(f"{self.slot}-loose")
        stored: str | None = st.session_state.get(f"{self.slot}-loose-text")
        if loose and stored == text and changed:
            with st.container(border=True, key=f"{self.slot}-confirm"):
                st.markdown(f":material/lock_open: **{page_words.LOOSENS}**")
                _render_loosenings(loose)
                with st.container(horizontal=True):
                    st.button(
                        page_words.APPLY_LOOSER,
                        key=f"{self.slot}-looser",
                        on_click=self._apply,
                        args=(text, True),
                    )
                    st.button(
                        page_words.KEEP_EDITING,
                        key=f"{self.slot}-not-looser",
                        on_click=self._forget_loosenings,
                    )
            return
        possible = changed and not parsed.errors and self.base == self.live.number
        with st.container(horizontal=True):
            st.button(
                page_words.APPLY,
                key=f"{self.slot}-apply",
                type="primary",
                icon=":material/check:",
                disabled=not possible,
                help=page_words.APPLY_HELP,
                on_click=self._apply,
                args=(text, False),
            )
            st.button(
                page_words.REVERT,
                key=f"{self.slot}-revert",
                disabled=not changed,
                help=page_words.REVERT_HELP,
                on_click=self._revert,
            )
        said = st.session_state.get(f"{self.slot}-said")
        if said:
            st.info(label(said), icon=":material/info:")
        if saved and possible:
            self._apply(text, False)
            st.rerun(scope="fragment")

    # -- callbacks --------------------------------------------------------------------------

    def _apply(self, text: str, confirmed: bool) -> None:
        st.session_state.pop(f"{self.slot}-said", None)
        try:
            version = self.engine.apply(self.file, text, based_on=self.base, by=self.by, confirmed=confirmed)
        except LooseningUnconfirmed as unconfirmed:
            st.session_state[f"{self.slot}-loose"] = unconfirmed.loosenings
            st.session_state[f"{self.slot}-loose-text"] = text
            return
        except (ConfigInvalid, StaleBase, StoreError, OSError) as error:
            st.session_state[f"{self.slot}-said"] = page_words.not_applied(str(error))
            return
        self._forget_loosenings()
        self._load(version.number)
        answering.toast(page_words.applied(version.number))

    def _revert(self) -> None:
        self._load(self.live.number)
        self._forget_loosenings()

    def _forget_loosenings(self) -> None:
        st.session_state.pop(f"{self.slot}-loose", None)
        st.session_state.pop(f"{self.slot}-loose-text", None)

    def _confirm_disk(self) -> None:
        try:
            self.engine.shelf.confirm_draft(self.file, by=self.by)
        except (ConfigInvalid, EngineRefused, StoreError, OSError) as error:
            st.session_state[f"{self.slot}-said"] = page_words.not_applied(str(error))

    def _drop_disk(self) -> None:
        try:
            self.engine.shelf.discard_draft(self.file)
        except (EngineRefused, StoreError, OSError) as error:
            st.session_state[f"{self.slot}-said"] = page_words.not_applied(str(error))

    def _go_to(self, line: int) -> None:
        st.session_state[answering.GOTO] = (self.file, line)

    def _goto(self) -> tuple[int, int] | None:
        """Return the line somebody asked to see, and how often one was asked for."""
        asked = st.session_state.get(answering.GOTO)
        if asked and asked[0] == self.file:
            del st.session_state[answering.GOTO]
            count = st.session_state.get(f"{self.slot}-goto", (0, 0))[1] + 1
            st.session_state[f"{self.slot}-goto"] = (asked[1], count)
        kept: tuple[int, int] | None = st.session_state.get(f"{self.slot}-goto")
        return kept


def _render_loosenings(loosenings: Sequence[Loosening]) -> None:
    for loosening in loosenings:
        st.markdown(f"- {label(loosening.sentence)}")


def _diagnostic(problem: Problem) -> Diagnostic:
    return Diagnostic(
        line=problem.line,
        column=problem.column,
        message=problem.message,
        severity=problem.severity,
        culprit=problem.culprit,
    )
