// What a person without a mouse or without sight needs.
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";

export function labelled(label) {
  return EditorView.contentAttributes.of({
    "aria-label": `${label}. Tab indents; to leave, press Escape and then Tab.`,
  });
}

export function readOnly(locked) {
  return [
    EditorState.readOnly.of(locked),
    EditorView.contentAttributes.of({ "aria-readonly": String(locked) }),
    EditorView.editorAttributes.of({ class: locked ? "cm-locked" : "" }),
  ];
}

const setTabLeaves = StateEffect.define();

/** True after Escape, until the next edit or until the focus leaves: Tab then moves on instead of indenting. */
export const tabLeavesNow = StateField.define({
  create: () => false,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setTabLeaves)) value = effect.value;
    return value;
  },
});

function letTabLeave(view, leaves) {
  view.setTabFocusMode(leaves);
  if (view.state.field(tabLeavesNow) !== leaves) view.dispatch({ effects: setTabLeaves.of(leaves) });
}

export const tabLeaves = [
  tabLeavesNow,
  keymap.of([{ key: "Escape", run: (view) => (letTabLeave(view, true), true) }]),
  EditorView.domEventHandlers({
    blur: (_event, view) => void letTabLeave(view, false),
    beforeinput: (_event, view) => void letTabLeave(view, false),
  }),
];
