import { TROUBLES } from "../../../lib/model/answers/page_health.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";

/**
 * The server that a problem is about: "grafana.local:3000". Empty where the problem is not a page's, and for several
 * pages in turn: nobody says which of them is in front.
 */
export function problemPlace(
  { url, morePages }: Pick<PublicStream, "url" | "morePages">,
  { trouble }: Pick<StreamStatus, "trouble">,
): string {
  if (!trouble || TROUBLES[trouble].isAround || morePages !== "" || !URL.canParse(url)) return "";
  return new URL(url).host;
}
