// A line that does not fit goes on two columns right of where it began: in YAML the left edge carries meaning.
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";

// Deeper than this, a narrow panel would have no room left for the text.
const DEEPEST = 16;

const steps = Array.from({ length: DEEPEST + 1 }, (_, columns) =>
  Decoration.line({ attributes: { style: `--hang: ${columns}ch` } }),
);

function decorate({ state, visibleRanges }) {
  const builder = new RangeSetBuilder();
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      const start = line.text.search(/[^ ]/);
      builder.add(line.from, line.from, steps[Math.min(Math.max(start, 0) + 2, DEEPEST)]);
      at = line.to + 1;
    }
  }
  return builder.finish();
}

export const hangingWrap = [
  EditorView.lineWrapping,
  ViewPlugin.fromClass(
    class {
      constructor(view) {
        this.decorations = decorate(view);
      }
      update(update) {
        if (update.docChanged || update.viewportChanged) this.decorations = decorate(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
];
