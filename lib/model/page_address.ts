/** The addresses that a stream can show. Pure, also for the form. */
import { isMetadataHost } from "../reach/metadata.ts";

/** The problem of a page address; null: it is valid. Only http and https are opened (docs/security.md). */
export function urlProblem(text: string): string | null {
  const example = "Example: https://grafana.example.org/d/overview";
  if (text === "") return `The page's address is missing. ${example}`;
  if (text.length > 4096) return "The page's address is longer than 4096 characters.";
  if (/\p{Cc}/u.test(text)) {
    return `The page's address has a line break or control character in it. ${example}`;
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    const word = /^[\p{L}\p{N}_-]{1,63}$/u.test(text)
      ? ` If "${text}" is a machine of your network, write http://${text}/.`
      : "";
    return `This is not a complete web address.${word} ${example}`;
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `Only http and https addresses can be shown, not "${url.protocol}". ${example}`;
  }
  if (!/^https?:\/\//i.test(text.trim())) return `This is not a complete web address. ${example}`;
  if (isMetadataHost(url.hostname)) {
    return "Cloud metadata addresses are never shown: they hold the machine's credentials.";
  }
  return null;
}
