// Colours and measures come from Streamlit's theme, so light, dark and a theme of one's own need nothing here.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const mix = (color, share, other) => `color-mix(in srgb, ${color} ${share}%, ${other})`;

const text = "var(--st-text-color)";
const surface = "var(--st-background-color)";
const accent = "var(--st-primary-color)";
// Streamlit's coloured text is made for large labels; a little of the text colour brings small code to 4.5 : 1.
const ink = (name) => mix(`var(--st-${name}-text-color)`, 80, text);
// Signs need 3 : 1 only, which that text has by itself.
const sign = (name) => `var(--st-${name}-text-color)`;
const quiet = mix(text, 72, surface);
const line = "var(--st-border-color)";

const SEVERITY = { error: "red", warning: "orange", hint: "blue" };
const ICON = {
  error: `<path fill-rule="evenodd" d="M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1ZM5.6 4.5 4.5 5.6 6.9 8l-2.4 2.4 1.1 1.1L8 9.1l2.4 2.4 1.1-1.1L9.1 8l2.4-2.4-1.1-1.1L8 6.9Z"/>`,
  warning: `<path fill-rule="evenodd" d="M8 1.2 15.4 14.4H.6ZM7.2 5.6h1.6v4.6H7.2Zm0 5.6h1.6v1.6H7.2Z"/>`,
  hint: `<path fill-rule="evenodd" d="M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm0 1.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM7.2 4.4h1.6V6H7.2Zm0 2.8h1.6v4.4H7.2Z"/>`,
};

function icon(severity) {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${ICON[severity]}</svg>`;
  return {
    backgroundColor: sign(SEVERITY[severity]),
    mask: `url('data:image/svg+xml,${encodeURIComponent(picture)}') center / contain no-repeat`,
  };
}

const bySeverity = (rules) => Object.assign({}, ...Object.keys(SEVERITY).map(rules));

const field = {
  font: "inherit",
  color: text,
  background: surface,
  border: `1px solid ${line}`,
  borderRadius: "var(--st-button-radius)",
  padding: "0.15rem 0.5rem",
};

const theme = EditorView.theme({
  "&": {
    height: "var(--editor-height)",
    minHeight: "8rem",
    color: text,
    backgroundColor: surface,
    border: `1px solid ${line}`,
    borderRadius: "var(--st-base-radius)",
    fontSize: "0.875rem",
    // Not "hidden", which would keep the panels from sticking to the window when the text is longer than it.
    overflow: "clip",
  },
  "&.cm-focused": { outline: "none" },
  "&:focus-within": { borderColor: accent, boxShadow: `0 0 0 1px ${mix(accent, 55, "transparent")}` },
  "&.cm-locked, &.cm-locked .cm-panels": { backgroundColor: "var(--st-secondary-background-color)" },
  ".cm-scroller": { fontFamily: "var(--st-code-font), monospace", lineHeight: "1.55", fontVariantLigatures: "none" },
  ".cm-content": { padding: "0.5rem 0", caretColor: text },
  ".cm-line": { padding: "0 0.75rem 0 calc(0.5rem + var(--hang, 0ch))", textIndent: "calc(-1 * var(--hang, 0ch))" },
  ".cm-cursor, .cm-dropCursor": { borderLeft: `2px solid ${text}`, marginLeft: "-1px" },
  "& .cm-selectionLayer .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    background: mix("var(--st-blue-color)", 24, "transparent"),
  },
  ".cm-selectionMatch": { backgroundColor: mix(text, 9, "transparent") },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": { backgroundColor: mix(text, 4, "transparent") },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: mix(text, 14, "transparent") },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: mix("var(--st-red-color)", 22, "transparent") },
  ".cm-specialChar": { color: ink("red") },

  ".cm-gutters": { backgroundColor: "transparent", color: quiet, border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 0.25rem 0 0.75rem", minWidth: "2.25rem" },
  ".cm-activeLineGutter": { color: text },
  ".cm-gutter-lint": { width: "1.25rem" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0.28rem 0.15rem" },
  ".cm-lint-marker": { width: "0.95rem", height: "0.95rem", cursor: "help" },
  ...bySeverity((severity) => ({ [`.cm-lint-marker-${severity}`]: { content: "normal", ...icon(severity) } })),

  ".cm-lintRange": { backgroundImage: "none", paddingBottom: "0", textDecorationSkipInk: "none" },
  ...bySeverity((severity) => ({
    [`.cm-lintRange-${severity}`]: {
      backgroundImage: "none",
      textDecoration: `underline wavy ${sign(SEVERITY[severity])} 1px`,
      textUnderlineOffset: "3px",
    },
    [`.cm-problem-${severity}, &.cm-focused .cm-problem-${severity}.cm-activeLine`]: {
      backgroundColor: mix(`var(--st-${SEVERITY[severity]}-color)`, 9, "transparent"),
    },
    [`.cm-diagnostic-${severity}`]: { borderLeft: `3px solid ${sign(SEVERITY[severity])}` },
    [`.cm-lintPoint-${severity}:after`]: { borderBottomColor: sign(SEVERITY[severity]) },
    [`.cm-status[data-severity=${severity}] .cm-status-words:before`]: icon(severity),
  })),

  ".cm-tooltip": {
    color: text,
    backgroundColor: surface,
    border: `1px solid ${line}`,
    borderRadius: "var(--st-base-radius)",
    boxShadow: `0 4px 16px ${mix("black", 16, "transparent")}`,
    fontFamily: "var(--st-font)",
    maxWidth: "32rem",
    overflow: "hidden",
  },
  ".cm-diagnostic": { padding: "0.35rem 0.75rem", margin: "0" },

  ".cm-panels": {
    color: text,
    backgroundColor: surface,
    border: "none",
    fontFamily: "var(--st-font)",
  },
  ".cm-panels-top": { borderBottom: `1px solid ${line}` },
  ".cm-panels-bottom": { borderTop: `1px solid ${line}` },
  ".cm-panel.cm-search": { padding: "0.4rem 2rem 0.4rem 0.75rem", fontSize: "0.8125rem" },
  ".cm-panel.cm-search label": { fontSize: "inherit", whiteSpace: "nowrap" },
  ".cm-panel.cm-search input[type=checkbox]": { accentColor: accent, verticalAlign: "middle" },
  ".cm-panel.cm-search [name=close]": { top: "0.3rem", right: "0.5rem", fontSize: "1.1rem", color: quiet, cursor: "pointer" },
  ".cm-textfield": field,
  ".cm-textfield::placeholder": { color: quiet, opacity: "1" },
  ".cm-button": { ...field, backgroundImage: "none", cursor: "pointer" },
  ".cm-button:hover": { borderColor: accent, color: text },
  ".cm-button:active": { backgroundImage: "none", backgroundColor: mix(text, 8, "transparent") },
  "& .cm-panels :focus-visible": { outline: `2px solid ${accent}`, outlineOffset: "1px" },
  ".cm-searchMatch": { backgroundColor: mix("var(--st-yellow-color)", 35, "transparent") },
  ".cm-searchMatch, .cm-searchMatch *": { color: text },
  ".cm-searchMatch-selected": { backgroundColor: mix("var(--st-orange-color)", 45, "transparent") },

  ".cm-status": {
    display: "flex",
    flexWrap: "wrap",
    justifyContent: "space-between",
    gap: "0 1rem",
    padding: "0.25rem 0.75rem",
    fontSize: "0.8125rem",
    lineHeight: "1.5",
  },
  ".cm-status-words": { flex: "1 1 12rem", overflowWrap: "anywhere" },
  ".cm-status-words:before": {
    content: "''",
    display: "inline-block",
    width: "0.85rem",
    height: "0.85rem",
    marginRight: "0.4rem",
    verticalAlign: "-0.12rem",
  },
  ".cm-status[data-severity=''] .cm-status-words:before": { display: "none" },
  ".cm-status-hint": { color: quiet },

  ".cm-shown": { boxShadow: `inset 3px 0 0 ${accent}`, backgroundColor: mix(accent, 10, "transparent") },
  ".cm-shown-0": { animation: "yaml-shown-0 1.6s ease-out" },
  ".cm-shown-1": { animation: "yaml-shown-1 1.6s ease-out" },
  "@keyframes yaml-shown-0": { from: { backgroundColor: mix(accent, 34, "transparent") } },
  "@keyframes yaml-shown-1": { from: { backgroundColor: mix(accent, 34, "transparent") } },
  "@media (prefers-reduced-motion: reduce)": { ".cm-shown": { animation: "none" } },

  ".cm-atom": { color: ink("violet") },
  ".cm-variable, .cm-variable *": { color: ink("orange") },
});

const highlight = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: ink("blue") },
  { tag: tags.string, color: ink("green") },
  { tag: tags.special(tags.string), color: ink("violet") },
  { tag: tags.lineComment, color: quiet, fontStyle: "italic" },
  { tag: [tags.labelName, tags.typeName, tags.keyword], color: ink("violet") },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace, tags.meta], color: quiet },
]);

export const look = [theme, syntaxHighlighting(highlight)];
