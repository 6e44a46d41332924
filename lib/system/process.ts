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
 * @throws {ProcessError} when it cannot be started, exceeds `timeout` or is aborted. A non-zero exit does not throw.
 */
export const run: Runner = async (argv, { timeout, signal, env, cwd }) => {
  const expiry = new AbortController();
  const timer = setTimeout(() => expiry.abort(), timeout);
  const cancel = () => expiry.abort();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    if (signal?.aborted) throw new ProcessError(`${argv[0]}: cancelled`);
    const command = new Deno.Command(argv[0], {
      args: argv.slice(1),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: expiry.signal,
      env,
      cwd,
    });
    const { code, stdout, stderr } = await command.output();
    if (signal?.aborted) throw new ProcessError(`${argv[0]}: cancelled`);
    if (expiry.signal.aborted) throw new ProcessError(`${argv[0]} did not end within ${timeout / 1000} s`);
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new ProcessError(`${argv[0]} is not installed`);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
};
