"""How well the words on a page stand out from what is behind them."""

import time

from playwright.sync_api import Page

_FAINT = """
() => {
  const context = Object.assign(document.createElement("canvas"), {width: 1, height: 1})
    .getContext("2d", {willReadFrequently: true});
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1); context.fillStyle = colour; context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3]));
  const light = (colour) => {
    const [r, g, b] = colour.map(v => v / 255 <= .03928 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const faint = {};
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const text = words.currentNode.textContent.trim(), holder = words.currentNode.parentElement;
    const box = holder.getBoundingClientRect();
    if (!text || box.width < 2 || box.height < 2 || /STYLE|SCRIPT|NOSCRIPT|TITLE/.test(holder.tagName)) continue;
    let grounds = [], opacity = 1, off = false;
    for (let at = holder; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      grounds.push(rgba(style.backgroundColor)); opacity *= parseFloat(style.opacity);
      off ||= at.matches(":disabled, [aria-disabled=true], [data-disabled=true]");
    }
    if (off) continue;
    const ground = grounds.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
    const ink = rgba(getComputedStyle(holder).color); ink[3] *= opacity;
    const [a, b] = [light(over(ink, ground)), light(ground)];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) faint[text.slice(0, 60)] = Number(ratio.toFixed(2));
  }
  return faint;
}
"""


def faint_words(page: Page, *, patience: float = 5) -> dict[str, float]:
    """The words on a page whose contrast stays under 4.5 : 1, with it. What is disabled does not count.

    A page fades in and gets its style sheet a moment after its words, so it is looked at until nothing is faint.
    """
    deadline = time.monotonic() + patience
    faint: dict[str, float] = page.evaluate(_FAINT)
    while faint and time.monotonic() < deadline:
        page.wait_for_timeout(200)
        faint = page.evaluate(_FAINT)
    return faint
