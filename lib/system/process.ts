/** Child processes with a time limit. argv arrays only: nothing goes through a shell. */

export interface RunOptions {
  /** Milliseconds until the process is killed. */
  timeout: number;
  signal?: AbortSignal;
  env?: Record<string, string>;
  cwd?: string;
}

export interface RunResult {
  code: number;
  stdout: string;
  stderr: string;
}

export type Runner = (argv: string[], options: RunOptions) => Promise<RunResult>;

/** A program that could not be started, ran too long or was cancelled. */
export class ProcessError extends Error {
  override name = "ProcessError";
}

/**
 * Runs a program to its end; both outputs are drained.
 * @throws {ProcessError} when it cannot be started, exceeds `timeout` or is aborted; it is killed hard then, since one
 * that ignores SIGTERM, or left a child behind, would hold its caller. A non-zero exit does not throw.
 */
export const run: Runner = async (argv, { timeout, signal, env, cwd }) => {
  if (signal?.aborted) throw new ProcessError(`${argv[0]}: cancelled`);
  const child = spawn(argv, env, cwd);
  const ends = [child.stdout, child.stderr].map((output) => output.getReader());
  const finished = Promise.all([child.status, ...ends.map(readAll)]);
  finished.catch(() => {});
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cancel = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ProcessError(`${argv[0]} did not end within ${timeout / 1000} s`)),
      timeout,
    );
    cancel = () => reject(new ProcessError(`${argv[0]}: cancelled`));
    signal?.addEventListener("abort", cancel, { once: true });
  });
  try {
    const [{ code }, stdout, stderr] = await Promise.race([finished, givenUp]);
    return { code, stdout, stderr };
  } catch (error) {
    try {
      child.kill("SIGKILL");
    } catch {
      // ended meanwhile, but a child of its own holds the output
    }
    for (const end of ends) end.cancel().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
};

function spawn(argv: string[], env: RunOptions["env"], cwd: string | undefined): Deno.ChildProcess {
  try {
    const args = argv.slice(1);
    return new Deno.Command(argv[0], { args, stdin: "null", stdout: "piped", stderr: "piped", env, cwd })
      .spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new ProcessError(`${argv[0]} is not installed`);
    throw error;
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
