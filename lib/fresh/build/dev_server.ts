import { basename, join } from "./paths.ts";

const CHILD_FLAG = "FRESH_DEV_CHILD";
const IGNORED = new Set(["node_modules", "data", "dist", "tests", "docs"]);
const SOURCE = /\.(?:[jt]sx?|css|html|svg|conf|json)$/;
/** Editors save in several steps: one restart is enough for all of them. */
const QUIET_MS = 150;

/** Whether this process is the one that serves, and the supervisor above it the one that watches. */
export function isSupervised(): boolean {
  return Deno.env.has(CHILD_FLAG);
}

/**
 * Runs the main module again in a child process, and again after every change: a process of its own is the one way to a
 * module graph without leftovers.
 */
export async function superviseDev(root: string, outDir: string): Promise<void> {
  let child = startChild();
  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    stopChild(child);
    await child.status;
    Deno.exit();
  };
  Deno.addSignalListener("SIGINT", stop);
  Deno.addSignalListener("SIGTERM", stop);

  const restart = debounce(async () => {
    stopChild(child);
    await child.status;
    if (!isStopping) child = startChild();
  });
  for await (const { kind, paths } of Deno.watchFs(watchedEntries(root, basename(outDir)))) {
    if (kind !== "access" && paths.some((path) => SOURCE.test(path))) restart();
  }
}

function startChild(): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", Deno.mainModule, ...Deno.args],
    env: { [CHILD_FLAG]: "1" },
  }).spawn();
}

/** A child whose build failed has ended by itself. */
function stopChild(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGTERM");
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

function watchedEntries(root: string, outDirName: string): string[] {
  return [...Deno.readDirSync(root)]
    .filter(({ name, isDirectory }) => isDirectory || SOURCE.test(name))
    .filter(({ name }) => !name.startsWith(".") && name !== outDirName && !IGNORED.has(name))
    .map(({ name }) => join(root, name));
}

function debounce(action: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, QUIET_MS);
  };
}
