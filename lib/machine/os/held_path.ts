/** The file or folder at a path, held, so that work on it cannot reach another one that is put in its place meanwhile. */
import { cString } from "./exec.ts";

/** Whether a link at the path itself may lead on. */
export type Links = "refused" | "followed";

export interface HeldPath extends Disposable {
  /** Leads to the held file or folder, as long as it is held. */
  path: string;
  info: Deno.FileInfo;
}

/** Deno follows links and waits for the other end of a pipe when it opens a file; libc can do without. */
const libc = Deno.dlopen("libc.so.6", {
  close: { parameters: ["i32"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
});

/** Source: fcntl.h of Linux. */
const O_NOFOLLOW = 0o400_000;
const O_PATH_CLOEXEC = 0o12_000_000;

/**
 * Holds the file or folder at a path; where links are refused, a link itself. Null: nothing is there.
 * @throws {Error} the reason why the path cannot be examined.
 */
export function holdPath(path: string, links: Links = "refused"): HeldPath | null {
  const flags = O_PATH_CLOEXEC | (links === "refused" ? O_NOFOLLOW : 0);
  const place = libc.symbols.open(cString(path), flags);
  if (place < 0) return missing(path, links);
  const release = () => void libc.symbols.close(place);
  try {
    const held = `/proc/self/fd/${place}`;
    return { path: held, info: Deno.statSync(held), [Symbol.dispose]: release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Null: the path does not exist. @throws {Error} the reason why the path cannot be examined. */
function missing(path: string, links: Links): null {
  try {
    (links === "refused" ? Deno.lstatSync : Deno.statSync)(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) throw error;
  }
  return null;
}
