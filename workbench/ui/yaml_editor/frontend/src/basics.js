// What the editor can do, before anything is known about the text.
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, nextDiagnostic, previousDiagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, Prec } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tabLeaves } from "./access.js";
import { problemLines } from "./problems.js";
import { shownLine } from "./place.js";
import { scalars } from "./scalars.js";
import { status } from "./status.js";
import { look } from "./look.js";
import { hangingWrap } from "./wrap.js";

// Beyond CodeMirror's own list: the other bidirectional controls, invisible operators and tag characters.
const HIDDEN = /[\u202a-\u202c\u2060-\u2065\u2068\u206a-\u206f\u{e0000}-\u{e007f}]/u;

export function basics() {
  return [
    lineNumbers(),
    lintGutter(),
    highlightActiveLineGutter(),
    highlightSpecialChars({ addSpecialChars: HIDDEN }),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    hangingWrap,
    EditorView.contentAttributes.of({ spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
    keymap.of([
      { key: "Tab", run: indent, shift: unindent },
      { key: "F8", run: nextDiagnostic, shift: previousDiagnostic, preventDefault: true },
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    Prec.lowest(tabLeaves),
    yaml(),
    scalars,
    problemLines,
    shownLine,
    status,
    look,
  ];
}

/** Spaces up to the next step, because YAML knows no tabs; a read-only editor gives the key back to the page. */
function indent(view) {
  const { state } = view;
  if (state.readOnly) return false;
  if (state.selection.ranges.some((range) => !range.empty)) return indentMore(view);
  view.dispatch(
    state.changeByRange((range) => {
      const column = range.head - state.doc.lineAt(range.head).from;
      const insert = " ".repeat(2 - (column % 2));
      return { changes: { from: range.head, insert }, range: range.map(state.changes({ from: range.head, insert }), 1) };
    }),
    { userEvent: "input.indent", scrollIntoView: true },
  );
  return true;
}

function unindent(view) {
  return view.state.readOnly ? false : indentLess(view);
}
