// Elements of the page.

/** An element of the page: make("input", {value: "1"}, child, ...). */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, how: Record<string, unknown> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(how)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value as EventListener);
    else if (key === "class") node.className = value as string;
    else if (key.includes("-")) node.setAttribute(key, value as string);
    else (node as unknown as Record<string, unknown>)[key] = value;
  }
  node.append(...children);
  return node;
}
