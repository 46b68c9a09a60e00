// "Rule 3, line 14": bring a line into view and mark it until the person goes on.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

const setLine = StateEffect.define();

export function showLine(state, number) {
  const line = state.doc.line(Math.min(Math.max(number, 1), state.doc.lines));
  return {
    selection: { anchor: line.from },
    effects: [setLine.of(line.from), EditorView.scrollIntoView(line.from, { y: "center" })],
  };
}

// Two classes in turn, because an animation starts again only when its name changes.
const marks = [0, 1].map((turn) =>
  Decoration.line({ attributes: { class: `cm-shown cm-shown-${turn}`, "data-testid": "yaml-shown-line" } }),
);

export const shownLine = StateField.define({
  create: () => ({ turn: 0, marks: Decoration.none }),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setLine)) continue;
      const turn = 1 - value.turn;
      return { turn, marks: Decoration.set([marks[turn].range(effect.value)]) };
    }
    const movedOn = transaction.docChanged || transaction.isUserEvent("select");
    return movedOn && value.marks.size ? { turn: value.turn, marks: Decoration.none } : value;
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.marks),
});
