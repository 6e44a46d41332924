/** The files of templates/: read once at start, from beside the program. */
import { join } from "node:path";

export interface Templates {
  supervisord: string;
  /** Of modules of Python that supervisord loads. */
  supervisorPoller: string;
  supervisorPrograms: string;
  supervisorServer: string;
  supervisorSockets: string;
  vncTargets: string;
  /** Of a stream's file for the supervisor, and of each program in it. */
  stream: string;
  program: string;
  nginx: string;
  /** Of both nginx, where they count a client's connections. */
  networks: string;
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
  const names = {
    supervisord: "supervisord.conf",
    supervisorPoller: "supervisor_poller.py",
    supervisorPrograms: "supervisor_programs.py",
    supervisorServer: "supervisor_server.py",
    supervisorSockets: "supervisor_sockets.py",
    vncTargets: "vnc_targets.py",
    stream: "stream.conf",
    program: "program.conf",
    nginx: "nginx.conf",
    networks: "networks.conf",
    rtmpApplication: "rtmp_application.conf",
    front: "front.conf",
    openbox: "openbox.xml",
    bus: "bus.xml",
    player: "player.html",
    tv: "tv.html",
    wall: "wall.html",
  } satisfies Record<keyof Templates, string>;
  const entries = Object.entries(names).map(async ([key, name]) => [key, await read(name)]);
  return Object.fromEntries(await Promise.all(entries));
}

/** Replaces `{{name}}` in a template. @throws {Error} on a name without a value. */
export function render(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{\{ ?(\w+) ?\}\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`template value {{${name}}} is missing`);
    return String(values[name]);
  });
}
