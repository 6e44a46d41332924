/** Attempts of code that runs as one user of this machine: each says what it got, or that it was refused. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { run } from "../../lib/machine/os/process.ts";
import { tempDir } from "./fixture.ts";

export interface Attempt {
  name: string;
  /** Python 3, which exits with 0 when it got what it wanted. */
  code: string;
  /** Whether a program is asked, and its answer waited for. */
  isAsking?: boolean;
}

/** What went wrong for an attacker: the kernel, or the program asked, said no. */
export interface Outcome {
  name: string;
  got: boolean;
  said: string;
}

/**
 * Runs each code for 10 s at most: a list of [exit status, what it said], as JSON. What waits for an answer has a process of
 * its own, beside the others: a fork of what has loaded all, which ends at once. To end as Python does, and to print where an
 * error was, took four fifths of the time. What the kernel alone says yes or no to is tried here.
 */
const EACH = `import ctypes, json, os, re, signal, socket, struct, subprocess, sys
def late(*_): raise TimeoutError("10 s are over")
signal.signal(signal.SIGALRM, late)
def tries(code):
    signal.alarm(10)
    try:
        exec(code, {"os": os, "socket": socket, "struct": struct})
        return 0, ""
    except SystemExit as ended:
        return ended.code or 0, ""
    except BaseException as error:
        return 1, f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
def fork(code):
    end, output = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(output, 1)
        os.dup2(output, 2)
        status, said = tries(code)
        sys.stdout.flush()
        os.write(1, said.encode(errors="replace"))
        os._exit(status)
    os.close(output)
    return pid, open(end, errors="replace")
def ends(pid, said):
    text = said.read()
    return os.waitpid(pid, 0)[1], text
attempts = json.load(open(sys.argv[1]))
running = {at: fork(code) for at, (code, is_asking) in enumerate(attempts) if is_asking}
tried = {at: tries(code) for at, (code, is_asking) in enumerate(attempts) if not is_asking}
print(json.dumps([tried[at] if at in tried else ends(*running[at]) for at in range(len(attempts))]))`;

let made = 0;

/** How many attempts this process has made. */
export function attemptsMade(): number {
  return made;
}

/** Makes all attempts as a user without groups. */
export async function attempt(uid: number, attempts: Attempt[]): Promise<Outcome[]> {
  await using dir = await tempDir();
  const codes = join(dir.path, "codes.json");
  await Deno.writeTextFile(
    codes,
    JSON.stringify(attempts.map(({ code, isAsking = false }) => [code, isAsking])),
  );
  await Deno.chown(dir.path, uid, uid);
  await Deno.chown(codes, uid, uid);
  const become = ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"];
  const { code, stdout, stderr } = await run(
    [...become, "/usr/bin/python3", "-c", EACH, codes],
    { timeoutMs: 60_000, cwd: "/", clearEnv: true, env: { PATH: "/usr/bin:/bin" } },
  );
  assert.equal(code, 0, stderr);
  const outcomes: [status: number, said: string][] = JSON.parse(stdout);
  made += outcomes.length;
  return outcomes.map(([status, said], at) => {
    return { name: attempts[at].name, got: status === 0, said: said.trim().split("\n").at(-1) ?? "" };
  });
}

const text = (path: string) => JSON.stringify(path);

/** Opens a file for reading. */
export function reads(path: string, name = `read ${path}`): Attempt {
  return { name, code: `open(${text(path)}, "rb").read(16)` };
}

/** Opens a file for writing, without changing it. */
export function writes(path: string): Attempt {
  return { name: `write ${path}`, code: `os.open(${text(path)}, os.O_WRONLY)` };
}

/** Puts a file into a folder. */
export function creates(folder: string): Attempt {
  return {
    name: `create a file in ${folder}`,
    code: `p = os.path.join(${text(folder)}, "attack")\nopen(p, "x").close()\nos.remove(p)`,
  };
}

export function lists(folder: string): Attempt {
  return { name: `list ${folder}`, code: `os.listdir(${text(folder)})` };
}

/** Moves a file or folder away, and back. */
export function moves(path: string): Attempt {
  return { name: `move ${path}`, code: `os.rename(${text(path)}, ${text(`${path}-x`)})` };
}

export function connects(path: string): Attempt {
  return {
    name: `connect to ${path}`,
    code: `s = socket.socket(socket.AF_UNIX)\ns.settimeout(3)\ns.connect(${text(path)})`,
  };
}

/** Opens a named pipe, for whatever it can be opened; without waiting for who has its other end. */
export function opensPipe(path: string): Attempt[] {
  return ["O_RDONLY", "O_WRONLY", "O_RDWR"].map((how) => ({
    name: `open ${path} with ${how}`,
    code: `os.open(${text(path)}, os.${how} | os.O_NONBLOCK)`,
  }));
}

/** Finds a TCP port that a process listens on. @param inodes of the process's sockets, which only root can list. */
export function findsPort(inodes: string[]): Attempt {
  return {
    name: "a port of the browser's",
    code: `inodes = set(${JSON.stringify(inodes)})
rows = [line.split() for name in ("tcp", "tcp6") for line in open("/proc/net/" + name).readlines()[1:]]
raise SystemExit(0 if any(row[3] == "0A" and row[9] in inodes for row in rows) else 1)`,
  };
}

/** Looks into a process, and sends it a signal. */
export function looksInto(pid: number, what: string): Attempt[] {
  const proc = `/proc/${pid}`;
  return [
    reads(`${proc}/environ`, `environment of ${what}`),
    { name: `memory of ${what}`, code: `os.open("${proc}/mem", os.O_RDWR)` },
    { name: `files of ${what}`, code: `os.listdir("${proc}/fd")` },
    { name: `working directory of ${what}`, code: `os.listdir("${proc}/cwd")\nos.readlink("${proc}/cwd")` },
    { name: `trace ${what}`, code: TRACE.replace("PID", String(pid)) },
    { name: `end ${what}`, code: `os.kill(${pid}, 0)` }, // asks whether a signal would be allowed
  ];
}

const TRACE = `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE = 0x4206
raise SystemExit(0 if libc.ptrace(PTRACE_SEIZE, PID, 0, 0) == 0 else 1)`;

/** Opens a display without a key, with a made-up one, or with one that was read somewhere. */
export function opensDisplay(display: number, cookie = "00".repeat(16)): Attempt[] {
  return ["/tmp/.X11-unix/X", "\\0/tmp/.X11-unix/X"].map((path) => ({
    name: `the screen of :${display} by ${path.startsWith("\\0") ? "the abstract socket" : "the socket"}`,
    isAsking: true,
    code: `s = socket.socket(socket.AF_UNIX)
s.settimeout(5)
s.connect("${path}${display}")
name, key = b"MIT-MAGIC-COOKIE-1", bytes.fromhex("${cookie}")
pad = lambda b: b + bytes(-len(b) % 4)
s.sendall(struct.pack("<BxHHHHxx", 0x6c, 11, 0, len(name), len(key)) + pad(name) + pad(key))
raise SystemExit(0 if s.recv(1) == b"\\x01" else 1)`,
  }));
}

/** Asks the VNC server behind a unix socket for its greeting. */
export function opensVnc(path: string): Attempt {
  return {
    name: `VNC at ${path}`,
    isAsking: true,
    code: `${connects(path).code}\nraise SystemExit(0 if s.recv(3) == b"RFB" else 1)`,
  };
}

/** Attaches to the shared memory of a user's programs, where pixels are. */
export function attachesSharedMemory(uid: number): Attempt {
  return {
    name: `shared memory of user ${uid}`,
    code: `import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
rows = [line.split() for line in open("/proc/sysvipc/shm")][1:]
ids = [int(row[1]) for row in rows if int(row[7]) == ${uid}]
got = [id for id in ids if libc.shmat(id, None, 0o10000) not in (None, 2**64 - 1)]
raise SystemExit(0 if got else 1)`,
  };
}

/** Sends bytes to a TCP port of this machine, and has got what it wanted if the answer begins like that. */
export function asksPort(port: number | string, request: string, wanted: RegExp, name: string): Attempt {
  return {
    name,
    isAsking: true,
    code: `import re
s = socket.create_connection(("127.0.0.1", ${port}), 3)
s.settimeout(5)
s.sendall(${text(request)}.encode())
answer = s.recv(4096).decode("latin-1")
print(answer.split("\\n")[0])
raise SystemExit(0 if re.match(${text(wanted.source)}, answer) else 1)`,
  };
}

/** Asks websockify for the display of a token, as the web app does: it comes as the host. */
export function asksVncProxy(port: string, token: string, name: string): Attempt {
  const lines = [
    "GET / HTTP/1.1",
    `Host: ${token}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    "Sec-WebSocket-Protocol: binary",
  ];
  return {
    name: `VNC by the proxy with ${name}`,
    isAsking: true,
    // the handshake alone shows nothing: a frame with the display's greeting does
    code: `s = socket.create_connection(("127.0.0.1", ${port}), 3)
s.settimeout(5)
s.sendall(${text(lines.join("\r\n") + "\r\n\r\n")}.encode())
answer = b""
while b"RFB 003" not in answer:
  part = s.recv(4096)
  if not part: raise SystemExit(1)
  answer += part`,
  };
}

/** Asks the media server for a file. @param key what it shows as the web app's key; null: nothing. */
export function asksMedia(port: string, path: string, key: string | null, name: string): Attempt {
  const header = key === null ? "" : `x-media-key: ${key}\r\n`;
  const request = `GET ${path} HTTP/1.0\r\nHost: 127.0.0.1\r\n${header}\r\n`;
  return asksPort(port, request, /^HTTP\/1\.\d 200/, `${path} of the media server with ${name}`);
}

/** Runs ffmpeg against the media server. @param args the input and output of a transfer that would end by itself. */
function runsFfmpeg(args: string[], name: string): Attempt {
  const list = JSON.stringify(["ffmpeg", "-nostdin", "-loglevel", "error", ...args]);
  return {
    name,
    isAsking: true,
    code: `import subprocess\nraise SystemExit(subprocess.run(${list}, timeout=8).returncode)`,
  };
}

/** Plays a second of a channel by RTMP. */
export function playsRtmp(port: string, path: string): Attempt {
  return runsFfmpeg(
    ["-i", `rtmp://127.0.0.1:${port}/${path}`, "-t", "1", "-f", "null", "-"],
    `play ${path} by RTMP`,
  );
}

/** Publishes a second of a picture by RTMP. @param playpath the channel, perhaps with a key. */
export function publishesRtmp(port: string, playpath: string): Attempt {
  const picture = [
    "-re",
    "-f",
    "lavfi",
    "-i",
    "testsrc=s=64x64:r=5",
    "-t",
    "1",
    "-c:v",
    "libx264",
    "-f",
    "flv",
  ];
  const args = [...picture, "-rtmp_playpath", playpath, `rtmp://127.0.0.1:${port}/live`];
  return runsFfmpeg(args, `publish ${playpath} by RTMP`);
}
