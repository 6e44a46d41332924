/** A user who changes a file between our look at it and our use of it. */
const LOOKS = ["lstat", "lstatSync", "stat", "statSync"] as const;

/** Does the work, and `swap` right after the first look at the path. */
export async function swappedAfterLook<Result>(
  path: string,
  swap: () => void,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const own = Object.fromEntries(LOOKS.map((name) => [name, Deno[name]]));
  let isDone = false;
  const swapOnce = <Found>(found: Found): Found => {
    if (!isDone) swap();
    isDone = true;
    return found;
  };
  for (const name of LOOKS) {
    const look = (at: string) => {
      const found = (own[name] as (at: string) => Deno.FileInfo | Promise<Deno.FileInfo>)(at);
      if (at !== path) return found;
      return found instanceof Promise ? found.then(swapOnce) : swapOnce(found);
    };
    Object.assign(Deno, { [name]: look });
  }
  try {
    return await work();
  } finally {
    Object.assign(Deno, own);
  }
}
