// One quiet line under the text: the problem where the caret is, else how many there are. It is how a person without a
// mouse reads a problem, and it is announced politely.
import { showPanel } from "@codemirror/view";
import { tabLeavesNow } from "./access.js";
import { checked, problemsOf } from "./problems.js";

function wordsFor(state) {
  const problems = problemsOf(state);
  const here = state.doc.lineAt(state.selection.main.head).number;
  const onLine = problems.filter((problem) => problem.line === here);
  if (onLine.length) {
    const rest = onLine.length > 1 ? ` (and ${onLine.length - 1} more on this line)` : "";
    return { severity: onLine[0].severity, text: `Line ${here}: ${onLine[0].message}${rest}` };
  }
  if (problems.length) {
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    const worst = ["error", "warning", "hint"].find((severity) => problems.some((problem) => problem.severity === severity));
    return { severity: worst, text: `${count}. F8 goes to the next.` };
  }
  return { severity: "", text: state.field(checked) ? "No problems." : "" };
}

function hintFor(state) {
  if (state.readOnly) return "Read-only";
  return state.field(tabLeavesNow) ? "Tab now leaves the editor" : "Esc, then Tab leaves";
}

function panel(view) {
  const dom = document.createElement("div");
  dom.className = "cm-status";
  dom.dataset.testid = "yaml-status";
  const words = document.createElement("span");
  words.className = "cm-status-words";
  words.setAttribute("aria-live", "polite");
  const hint = document.createElement("span");
  hint.className = "cm-status-hint";
  dom.append(words, hint);
  // Written only when it differs: a live region speaks again whenever its text is set.
  const write = (node, text) => {
    if (node.textContent !== text) node.textContent = text;
  };
  const render = (state) => {
    const { severity, text } = wordsFor(state);
    dom.dataset.severity = severity;
    write(words, text);
    write(hint, hintFor(state));
  };
  render(view.state);
  return { dom, update: (update) => render(update.state) };
}

export const status = showPanel.of(panel);
