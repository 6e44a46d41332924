/** Child processes with a time limit. argv arrays only: nothing goes through a shell. */
import { happensWithin, withTimeout } from "../tools/time.ts";

export interface RunOptions {
  /** Milliseconds until the process is killed. */
  timeoutMs: number;
  signal?: AbortSignal;
  env?: Record<string, string>;
  /** Whether `env` is the program's whole environment: no variable of ours leaks into it. */
  clearEnv?: boolean;
  cwd?: string;
  /** Bytes of each output at most; without limit when absent. */
  maxOutput?: number;
  /** The standard input; none when absent. The program need not take all of it. */
  input?: AsyncIterable<Uint8Array>;
  /** Takes the standard output, of any length, in the place of the result. */
  output?(part: Uint8Array<ArrayBuffer>): Promise<void>;
}

interface Result<Output> {
  code: number;
  stdout: Output;
  stderr: string;
}

export type RunResult = Result<string>;
export type Runner = (argv: string[], options: RunOptions) => Promise<RunResult>;
export type BytesRunner = (argv: string[], options: RunOptions) => Promise<Result<Uint8Array<ArrayBuffer>>>;

/** The wait for the end of a killed process. */
const KILLED_MS = 1000;

/** A program that could not be started, ran too long, said too much or was cancelled. */
export class ProcessError extends Error {
  override name = "ProcessError";
}

/**
 * Runs a program to its end; both outputs are drained.
 * @throws {ProcessError} when it cannot be started, exceeds `timeoutMs` or `maxOutput`, or is aborted; it is killed hard
 * then, since a program that ignores SIGTERM, or left a child behind, would block us. A non-zero exit does not throw.
 */
export const run: Runner = async (argv, options) => {
  const { stdout, ...result } = await runBytes(argv, options);
  return { ...result, stdout: new TextDecoder().decode(stdout) };
};

/** As `run`, for a program whose output is no text. */
export const runBytes: BytesRunner = async (argv, options) => {
  const { timeoutMs, signal, maxOutput = Infinity, input, output } = options;
  if (signal?.aborted) throw new ProcessError(`${argv[0]}: cancelled`);
  const child = spawn(argv, options);
  const ends = [child.stdout, child.stderr].map((output) => output.getReader());
  const takeAll = async () => {
    if (!output) return await readAll(ends[0], argv[0], maxOutput);
    for (let part = await ends[0].read(); !part.done; part = await ends[0].read()) await output(part.value);
    return new Uint8Array();
  };
  const parts = [takeAll(), readAll(ends[1], argv[0], maxOutput)] as const;
  const finished = Promise.all([child.status, ...parts, input && feed(child.stdin, input)]);
  finished.catch(() => {});
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cancel = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ProcessError(`${argv[0]} did not end within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    cancel = () => reject(new ProcessError(`${argv[0]}: cancelled`));
    signal?.addEventListener("abort", cancel, { once: true });
  });
  try {
    const [{ code }, stdout, stderr] = await Promise.race([finished, givenUp]);
    return { code, stdout, stderr: new TextDecoder().decode(stderr) };
  } catch (error) {
    try {
      child.kill("SIGKILL");
    } catch {
      // the program has ended meanwhile, but its child still has the output open
    }
    for (const end of ends) end.cancel().catch(() => {});
    // the wait lets the caller use the program's files; it is limited, because the kernel may fail to end the program
    await happensWithin(KILLED_MS, child.status);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
};

export type OutputReader = (
  argv: string[],
  options: Pick<RunOptions, "env" | "clearEnv" | "cwd"> & { signal: AbortSignal },
) => AsyncIterable<Uint8Array<ArrayBuffer>>;

/**
 * The output of a program as it comes; stderr is drained. The program is killed hard when the signal aborts, or the
 * reader leaves. @throws {ProcessError} when it cannot be started, or somebody else ends it.
 */
export const readOutput: OutputReader = async function* (argv, options) {
  const { signal } = options;
  if (signal.aborted) return;
  const child = spawn(argv, options);
  const errors = child.stderr.pipeTo(new WritableStream()).catch(() => {});
  const reader = child.stdout.getReader();
  const kill = () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // it has ended
    }
    reader.cancel().catch(() => {});
  };
  signal.addEventListener("abort", kill, { once: true });
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
    if (signal.aborted) return;
    const status = await withTimeout(KILLED_MS, child.status, `${argv[0]} does not end after its output`);
    // what somebody else ended has not said all
    if (status.signal !== null && !signal.aborted) {
      throw new ProcessError(`${argv[0]} was ended by ${status.signal}`);
    }
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
    await happensWithin(KILLED_MS, Promise.all([child.status, errors]));
  }
};

function spawn(
  argv: string[],
  { env, clearEnv, cwd, input }: Pick<RunOptions, "env" | "clearEnv" | "cwd" | "input">,
): Deno.ChildProcess {
  try {
    return new Deno.Command(argv[0], {
      args: argv.slice(1),
      stdin: input ? "piped" : "null",
      stdout: "piped",
      stderr: "piped",
      env,
      clearEnv,
      cwd,
    }).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new ProcessError(`${argv[0]} is not installed`);
    throw error;
  }
}

async function feed(stdin: WritableStream<Uint8Array>, input: AsyncIterable<Uint8Array>): Promise<void> {
  const writer = stdin.getWriter();
  try {
    for await (const part of input) {
      // a program that has enough closes it
      if (!await writer.write(part).then(() => true, () => false)) break;
    }
  } finally {
    await writer.close().catch(() => {});
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  program: string,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > most) throw new ProcessError(`${program} wrote more than ${most} bytes`);
    parts.push(part.value);
  }
  return await new Blob(parts).bytes();
}
