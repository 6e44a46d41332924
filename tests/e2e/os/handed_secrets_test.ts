/** The secrets that a start leaves in the web app's folder, when root reads them there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parseConfig } from "../../../lib/config.ts";
import { run } from "../../../lib/machine/os/process.ts";
import { writePromises } from "../../../lib/machine/os/promises.ts";
import { pathsOf } from "../../../lib/paths.ts";
import { tempDir } from "../../support/fixture.ts";
import { needsRoot } from "../../support/needs_root.ts";
import { inOwnProcess } from "../../support/own_process.ts";

const WEB = 60_600;
const SECRET = "only:root reads this";

interface Handed {
  config: ReturnType<typeof parseConfig>;
  /** Replaces one of the web app's files. */
  put(file: string, kind: "link" | "pipe" | "file"): Promise<void>;
}

/** A service's folders, as root has made them. */
async function handed(dir: string): Promise<Handed> {
  await Deno.chmod(dir, 0o755);
  const config = parseConfig({ DATA_DIR: join(dir, "data"), PIPELINE_DIR: dir, RUN_DIR: join(dir, "run") });
  const proxy = {
    HTTPS_PROXY: "http://proxy.example.org:3128",
    PROXY_LOGIN_FILE: pathsOf(config).proxyLoginFile,
  };
  const paths = pathsOf(config);
  for (const folder of [paths.webDir, paths.specsDir, join(paths.profilesDir, "clock")]) {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.chown(folder, WEB, WEB);
  }
  await Deno.writeTextFile(join(paths.specsDir, "clock.json"), "{}");
  const none = { packetFilter: false, memoryLimits: false, ownSharedMemory: false, policies: null };
  await writePromises(paths.promisesFile, none);
  const roots = join(dir, "roots");
  await Deno.writeTextFile(roots, SECRET, { mode: 0o600 });
  const put = async (file: string, kind: "link" | "pipe" | "file") => {
    const path = join(paths.webDir, file);
    await Deno.remove(path).catch(() => {});
    if (kind === "link") await Deno.symlink(roots, path);
    else if (kind === "pipe") await run(["mkfifo", path], { timeoutMs: 1000 });
    else await Deno.writeTextFile(path, "anna");
  };
  return { config: { ...config, ...proxy }, put };
}

needsRoot(
  "root reads no link and no pipe that the web app's user puts in the place of the login",
  async () => {
    await using dir = await tempDir("/dev/shm");
    const { config, put } = await handed(dir.path);
    const login = () =>
      inOwnProcess(
        "lib/run/checks/running.ts",
        `console.log(JSON.stringify(await m.knownLogin(${JSON.stringify(config)})))`,
      );
    await put("auth-user", "file");
    await put("auth-pass", "file");
    assert.equal((await login()).trim(), '{"user":"anna","pass":"anna"}');
    for (const kind of ["link", "pipe"] as const) {
      await put("auth-pass", kind);
      assert.equal((await login()).trim(), "null", kind);
    }
  },
);

needsRoot("a sign-in helper, as root, reads none in the place of the proxy's login", async () => {
  await using dir = await tempDir("/dev/shm");
  const { config, put } = await handed(dir.path);
  for (const kind of ["link", "pipe"] as const) {
    await put("proxy-login", kind);
    const said = await inOwnProcess(
      "lib/run/programs/autologin.ts",
      `await m.autologin(${JSON.stringify(config)}, "clock").catch((error) => console.log(error.message))`,
    );
    assert.match(said, /PROXY_LOGIN_FILE=.* cannot be read \(there is no regular file\)/, kind);
  }
});
