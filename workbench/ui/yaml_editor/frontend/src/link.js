// Keeps the document in the browser and the text in Python in step without ever taking a key from the person.
import { isolateHistory } from "@codemirror/commands";
import { Annotation, ChangeSet, Compartment, EditorState, Prec, Text } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { basics } from "./basics.js";
import { showProblems } from "./problems.js";
import { labelled, readOnly } from "./access.js";
import { showLine } from "./place.js";

const DEBOUNCE_MS = 250;
const fromPython = Annotation.define();

export class DocumentLink {
  constructor({ parentElement, data }) {
    this.revision = data.revision;
    this.newline = newlineOf(data.text);
    this.doc = textOf(data.text);
    this.sent = this.doc;
    this.since = ChangeSet.empty(this.doc.length);
    this.timer = null;
    this.label = new Compartment();
    this.mode = new Compartment();
    this.shownProblems = null;
    this.shownPlace = null;

    this.frame = document.createElement("div");
    this.frame.dataset.testid = "yaml-editor";
    // Streamlit takes plain keys in a text for typing, but not those with Ctrl, nor Escape, nor any key on a button of
    // the search panel: without this they would press whatever on the page has such a shortcut.
    for (const type of ["keydown", "keypress", "keyup"]) {
      this.frame.addEventListener(type, (event) => event.stopPropagation());
    }
    this.frame.addEventListener("focusout", () => this.flush());
    parentElement.appendChild(this.frame);

    this.view = new EditorView({
      parent: this.frame,
      root: parentElement,
      state: EditorState.create({
        doc: this.doc,
        extensions: [
          Prec.high(keymap.of([{ key: "Mod-s", preventDefault: true, run: () => this.save() }])),
          this.label.of(labelled(data.label)),
          this.mode.of(readOnly(data.readOnly)),
          EditorView.updateListener.of((update) => this.changed(update)),
          basics(),
        ],
      }),
    });
    document.fonts?.ready.then(() => this.view.requestMeasure());
  }

  /** Takes what Python says. The document is written only when the revision changed, never by an echo. */
  receive({ data, setStateValue, setTriggerValue }) {
    this.setStateValue = setStateValue;
    this.setTriggerValue = setTriggerValue;
    if (data.revision !== this.revision) {
      const continued = data.continues.includes(this.revision);
      this.revision = data.revision;
      if (!continued) this.replace(data.text);
      else if (this.timer === null && !this.doc.eq(this.sent)) this.schedule();
    }
    this.configure(data);
    this.showProblems(data);
    this.showPlace(data.place);
  }

  changed(update) {
    if (!update.docChanged) return;
    this.doc = update.state.doc;
    this.since = this.since.compose(update.changes);
    this.shownProblems = null;
    if (!update.transactions.some((transaction) => transaction.annotation(fromPython))) this.schedule();
  }

  schedule() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), DEBOUNCE_MS);
  }

  flush() {
    if (this.timer === null) return;
    this.forget();
    this.markSent();
    this.setStateValue("edit", this.spoken());
  }

  save() {
    this.flush();
    this.setTriggerValue("save", this.spoken());
    return true;
  }

  spoken() {
    return { revision: this.revision, text: this.doc.sliceString(0, this.doc.length, this.newline) };
  }

  forget() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  markSent() {
    this.sent = this.doc;
    this.since = ChangeSet.empty(this.doc.length);
  }

  /** One undoable step over the part that differs, so that the caret and the scroll stay where they can. */
  replace(text) {
    this.newline = newlineOf(text);
    const next = textOf(text);
    this.view.dispatch({
      changes: difference(this.doc, next),
      annotations: [fromPython.of(true), isolateHistory.of("full")],
    });
    this.forget();
    this.markSent();
  }

  configure({ label, readOnly: locked, height }) {
    const effects = [];
    if (label !== this.shownLabel) effects.push(this.label.reconfigure(labelled(label)));
    if (locked !== this.shownLocked) effects.push(this.mode.reconfigure(readOnly(locked)));
    this.shownLabel = label;
    this.shownLocked = locked;
    if (effects.length) this.view.dispatch({ effects });
    this.frame.style.setProperty("--editor-height", height === null ? "auto" : `${height}px`);
  }

  /** Problems of a text that is no longer the last one sent are dropped: those of the newer text are on their way. */
  showProblems({ text, problems }) {
    const said = JSON.stringify([text, problems]);
    if (said === this.shownProblems || !textOf(text).eq(this.sent)) return;
    this.view.dispatch(showProblems(this.view.state, problems, this.sent, this.since));
    this.shownProblems = said;
  }

  showPlace(place) {
    const said = place && JSON.stringify(place);
    if (said && said !== this.shownPlace) this.view.dispatch(showLine(this.view.state, place[0]));
    this.shownPlace = said;
  }

  destroy() {
    this.forget();
    this.view.destroy();
    this.frame.remove();
  }
}

function textOf(text) {
  return Text.of(text.split(/\r\n?|\n/));
}

function newlineOf(text) {
  return /\r\n?|\n/.exec(text)?.[0] ?? "\n";
}

function difference(before, after) {
  const a = before.toString();
  const b = after.toString();
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { from: start, to: a.length - end, insert: after.slice(start, b.length - end) };
}
