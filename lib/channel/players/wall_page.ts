/** The page of a wall for a screen: the template filled with a layout. */
import { escapeMarkup } from "../../machine/tools/entities.ts";
import { render } from "../../templates.ts";

/**
 * @param asset an address of a static file as its build has it.
 * @param base what every address begins with: "" or an access token's prefix.
 * @param mode how it plays until a viewer chooses.
 */
export function wallHtml(
  template: string,
  wall: { id: string; name: string },
  asset: (path: string) => string,
  base: string,
  mode: string,
): string {
  return render(template, {
    id: wall.id,
    name: escapeMarkup(wall.name),
    base,
    mode,
    // without a session there is no list to go back to
    list: base === "" ? "/wall" : "",
    icon: base === "" ? "/icon.svg" : "data:,",
    hls: base + asset("/vendor/hls.light.min.js"),
    mpegts: base + asset("/vendor/mpegts.js"),
    script: base + asset("/vendor/wall.js"),
    styles: base + asset("/wall.css"),
  });
}
