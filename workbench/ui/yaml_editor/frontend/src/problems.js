// Where the problems that Python found stand, and how a line with one looks.
import { forEachDiagnostic, setDiagnostics, setDiagnosticsEffect } from "@codemirror/lint";
import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

const RANK = { hint: 0, warning: 1, error: 2 };

/** The transaction that shows `problems`, found in `checked`, in a document that changed `since`. */
export function showProblems(state, problems, checked, since) {
  const placed = (problems ?? []).map((problem) => {
    const span = spanOf(problem, checked);
    const from = since.mapPos(span.from, 1);
    return {
      from,
      to: Math.max(from, since.mapPos(span.to, -1)),
      severity: problem.severity,
      message: problem.message,
      renderMessage: () => messageOf(problem),
    };
  });
  const { effects } = setDiagnostics(state, placed);
  return { effects: [...effects, setChecked.of(problems !== null)] };
}

function messageOf({ message, severity }) {
  const node = document.createElement("div");
  node.dataset.testid = "yaml-diagnostic-message";
  node.dataset.severity = severity;
  node.textContent = message;
  return node;
}

/** From the column Python names (counted in characters, not in UTF-16 units) to the end of the culprit. */
function spanOf({ line: number, column, culprit }, doc) {
  const line = doc.line(Math.min(Math.max(number, 1), doc.lines));
  const start = Array.from(line.text).slice(0, Math.max(column - 1, 0)).join("").length;
  if (culprit) {
    const found = line.text.indexOf(culprit, start);
    if (found >= 0) return { from: line.from + found, to: line.from + found + culprit.length };
  }
  const token = /^(?:"[^"]*"|'[^']*'|[^\s,\]}:]+|\S)/.exec(line.text.slice(start));
  if (token) return { from: line.from + start, to: line.from + start + token[0].length };
  const blank = /^\s*/.exec(line.text)[0].length;
  return { from: line.from + (blank < line.text.length ? blank : 0), to: line.to };
}

/** The problems of the document as it is now, each with its line number, in reading order. */
export function problemsOf(state) {
  const found = [];
  forEachDiagnostic(state, ({ severity, message }, from) => {
    found.push({ from, line: state.doc.lineAt(from).number, severity, message });
  });
  return found;
}

const setChecked = StateEffect.define();

/** Whether Python has looked at this document at all. */
export const checked = StateField.define({
  create: () => false,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setChecked)) value = effect.value;
    return value;
  },
});

const lines = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    const told = transaction.effects.some((effect) => effect.is(setDiagnosticsEffect));
    return told || transaction.docChanged ? decorate(transaction.state) : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorate(state) {
  const worst = new Map();
  for (const { line, severity } of problemsOf(state)) {
    if (!(RANK[worst.get(line)] >= RANK[severity])) worst.set(line, severity);
  }
  const builder = new RangeSetBuilder();
  for (const [line, severity] of [...worst].sort(([a], [b]) => a - b)) {
    const from = state.doc.line(line).from;
    const attributes = {
      class: `cm-problem cm-problem-${severity}`,
      "data-testid": "yaml-diagnostic",
      "data-line": String(line),
      "data-severity": severity,
    };
    builder.add(from, from, Decoration.line({ attributes }));
  }
  return builder.finish();
}

export const problemLines = [checked, lines];
