/** The files of an installed service. */
import { dirname, join } from "node:path";
import { ensureFolder, readOrNull, writeFileAtomic } from "../../machine/os/files.ts";
import { INSTALLED_DATA_DIR, INSTALLED_USER } from "../settings_file.ts";
import { type Host, placesOf } from "./places.ts";

/** The text of new settings. */
const SETTINGS = `# Settings of Browser Stream, one a line: \`browser-stream --help --all\` lists them.
# After a change: systemctl restart browser-stream
DATA_DIR=${INSTALLED_DATA_DIR}
#PORT=3000
#AUTH_USER=anna
#AUTH_PASS=
#PUBLIC_URL=https://tv.example.org
#TZ=Europe/Berlin
`;

/** The systemd unit that this executable contains. @param program the folder with templates/. */
export async function readUnit(program: { root: string }): Promise<string> {
  return await Deno.readTextFile(join(program.root, "templates/browser-stream.service"));
}

/** Replaces an executable, which may be running: the old or the new file is there, whole. */
export async function replaceExecutable(from: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await writeFileAtomic(to, await Deno.readFile(from), 0o755);
  await Deno.chmod(to, 0o755); // whatever the umask is
}

/** Has systemd make the web app's user, and choose the user's number. Source: sysusers.d(5) */
async function makeUser(host: Host): Promise<void> {
  const { user } = placesOf(host);
  await ensureFolder(dirname(user), 0o755, undefined, "followed");
  await writeFileAtomic(
    user,
    `u ${INSTALLED_USER} - "Browser Stream's web app" ${INSTALLED_DATA_DIR}\n`,
    0o644,
  );
  await Deno.chmod(user, 0o644);
  await host.makeUser();
}

export async function writeUnit(host: Host, text: string): Promise<void> {
  const { unit } = placesOf(host);
  await Deno.mkdir(dirname(unit), { recursive: true });
  await writeFileAtomic(unit, text, 0o644);
  await Deno.chmod(unit, 0o644);
}

/** Makes folders, settings and the user; existing settings stay. */
export async function makePlaces(host: Host): Promise<void> {
  const { settings, data, policies } = placesOf(host);
  // the operator may have put a link there, such as to another disk
  for (const folder of [data, policies, dirname(settings)]) {
    await ensureFolder(folder, 0o755, undefined, "followed");
  }
  // the settings may hold passwords
  if (await readOrNull(settings) === null) await writeFileAtomic(settings, SETTINGS, 0o600);
  await makeUser(host);
}
