/** The files of templates/: read once at start, from beside the program. */
import { join } from "node:path";

export interface Templates {
  supervisord: string;
  /** Of a stream's file for the supervisor, and of each program in it. */
  stream: string;
  program: string;
  nginx: string;
  /** Of each application of the media server. */
  rtmpApplication: string;
  /** Of the nginx in front of the web app. */
  front: string;
  openbox: string;
  /** Of the browsers' buses. */
  bus: string;
  player: string;
  tv: string;
  wall: string;
}

/** @param root the folder that holds templates/: the checkout, or the inside of the executable. */
export async function loadTemplates(root: string): Promise<Templates> {
  const read = (name: string) => Deno.readTextFile(join(root, "templates", name));
  const [supervisord, stream, program, nginx, rtmpApplication, front, openbox, bus, player, tv, wall] =
    await Promise
      .all(
        [
          "supervisord.conf",
          "stream.conf",
          "program.conf",
          "nginx.conf",
          "rtmp_application.conf",
          "front.conf",
          "openbox.xml",
          "bus.xml",
          "player.html",
          "tv.html",
          "wall.html",
        ].map(read),
      );
  return { supervisord, stream, program, nginx, rtmpApplication, front, openbox, bus, player, tv, wall };
}

/** Replaces `{{name}}` in a template. @throws {Error} on a name without a value. */
export function render(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{\{ ?(\w+) ?\}\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`template value {{${name}}} is missing`);
    return String(values[name]);
  });
}
