/** The page of a wall for a screen: the template filled with a layout. */
import { escapeMarkup } from "../system/entities.ts";
import { render } from "../templates.ts";

/**
 * @param asset an address of a static file as its build has it.
 * @param base what every address begins with: "" or an access token's prefix.
 */
export function wallHtml(
  template: string,
  wall: { id: string; name: string },
  asset: (path: string) => string,
  base: string,
): string {
  return render(template, {
    id: wall.id,
    name: escapeMarkup(wall.name),
    base,
    // without a session there is no list to go back to
    list: base === "" ? "/wall" : "",
    icon: base === "" ? "/icon.svg" : "data:,",
    hls: base + asset("/vendor/hls.light.min.js"),
    script: base + asset("/vendor/wall.js"),
    styles: base + asset("/wall.css"),
  });
}
