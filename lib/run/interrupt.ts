/** An interrupted command leaves nothing behind, or goes on where a half-done change would be worse. */

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The exit code, as a shell has it for Ctrl-C. */
export const INTERRUPTED = 130;

/** The present clean-up functions of all parts of a command. */
const cleanings = new Set<() => Promise<void>>();

function end(): void {
  Promise.allSettled([...cleanings].map((clean) => clean())).then(() => Deno.exit(INTERRUPTED));
}

function listen(listener: () => void): Disposable {
  for (const signal of SIGNALS) Deno.addSignalListener(signal, listener);
  return {
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) Deno.removeSignalListener(signal, listener);
    },
  };
}

/** Cleans up and ends the process at a signal, until the result is disposed of. */
export function cleanWhenInterrupted(clean: () => Promise<void>): Disposable {
  if (cleanings.size > 0) {
    cleanings.add(clean); // the first call listens to the signals
    return { [Symbol.dispose]: () => void cleanings.delete(clean) };
  }
  cleanings.add(clean);
  const listening = listen(end);
  return {
    [Symbol.dispose]: () => {
      cleanings.delete(clean);
      listening[Symbol.dispose]();
    },
  };
}

/** Lets the process go on at a signal, until the result is disposed of. */
export function withoutInterrupts(): Disposable {
  return listen(() => {});
}
