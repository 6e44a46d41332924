/** Makes the page another stream's without loading it again. */

/** The addresses of the player and of the page around it end with the stream's id. */
const LAST_PART = /[^/]+$/;

export function renamePage(id: string, name: string): void {
  setAddress(self, id);
  document.title = name;
  document.querySelector("h1")!.textContent = name;
  document.getElementById("video")!.setAttribute("aria-label", name);
  const page = self.top;
  if (!page || page === self) return;
  setAddress(page, id);
  page.document.title = `${name} · Browser Stream`;
}

function setAddress({ history, location }: Window, id: string): void {
  try {
    history.replaceState(history.state, "", location.pathname.replace(LAST_PART, encodeURIComponent(id)));
  } catch (_) {
    // Safari allows a hundred of these in 30 s
  }
}
