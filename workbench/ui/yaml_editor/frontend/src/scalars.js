// The YAML grammar calls every plain scalar a literal; people look for `true`, `300` and `${VAR}`.
import { syntaxTree } from "@codemirror/language";
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, ViewPlugin } from "@codemirror/view";

const ATOM = /^(?:true|false|null|~|[-+]?(?:\d[\d_]*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/;
const VARIABLE = /\$\{[^}\n]*\}/g;
const atom = Decoration.mark({ class: "cm-atom" });
const variable = Decoration.mark({ class: "cm-variable" });

function decorate(view) {
  const builder = new RangeSetBuilder();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter(node) {
        if (node.name !== "Literal" && node.name !== "QuotedLiteral") return;
        if (node.node.parent?.name === "Key") return;
        const text = view.state.sliceDoc(node.from, node.to);
        if (node.name === "Literal" && ATOM.test(text)) builder.add(node.from, node.to, atom);
        for (const match of text.matchAll(VARIABLE)) {
          builder.add(node.from + match.index, node.from + match.index + match[0].length, variable);
        }
      },
    });
  }
  return builder.finish();
}

export const scalars = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = decorate(view);
    }
    update(update) {
      const parsed = syntaxTree(update.state) !== syntaxTree(update.startState);
      if (update.docChanged || update.viewportChanged || parsed) this.decorations = decorate(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
