// The component's entry. Streamlit calls the default export again on every change of data or theme; one editor
// lives as long as its parent element does.
import { DocumentLink } from "./link.js";

const links = new WeakMap();

export default function mount(component) {
  const { parentElement } = component;
  let link = links.get(parentElement);
  if (!link) {
    link = new DocumentLink(component);
    links.set(parentElement, link);
  }
  link.receive(component);
  return () => {
    // Streamlit also runs the cleanup of a call that newer data overtook while the page stays as it is.
    if (parentElement.isConnected) return;
    links.delete(parentElement);
    link.destroy();
  };
}
