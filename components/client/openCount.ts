/** Shows how many incidents go on in the title and the icon of the browser's tab. @param title of the page. */
export function showOpenCount(open: number, title: string): void {
  document.title = open > 0 ? `(${open}) ${title}` : title;
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (!icon) return;
  icon.dataset.plain ??= icon.href;
  const href = open > 0 ? countIcon(open) : icon.dataset.plain;
  if (icon.href !== href) icon.href = href;
}

/** A red disc with the count. */
function countIcon(open: number): string {
  const text = open > 99 ? "99" : String(open);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" ` +
    `fill="#c62828"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" ` +
    `text-anchor="middle" fill="#fff">${text}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
