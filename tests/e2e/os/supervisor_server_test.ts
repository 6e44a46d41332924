/** supervisord's server, as a taken-over web app would use it: a real supervisord, without a service. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { askPrograms } from "../../../lib/machine/supervisor/status.ts";
import { writeAll } from "../../../lib/machine/tools/write_all.ts";
import { root, tempDir } from "../../support/fixture.ts";
import { needsRoot } from "../../support/needs_root.ts";
import { until } from "../../support/same.ts";

/** Programs that never run: what is told of all of them takes supervisord some time. */
const IDLE_PROGRAMS = 400;

async function supervisord() {
  const dir = await tempDir();
  await Deno.chmod(dir.path, 0o755);
  const [socket, log, config] = ["sock", "log", "conf"].map((name) => join(dir.path, name));
  const interfaces = ["poller", "programs", "server"].map((name) =>
    `[rpcinterface:${name}]\nsupervisor.rpcinterface_factory = supervisor_${name}:use\n`
  );
  const programs = Array.from(
    { length: IDLE_PROGRAMS },
    (_, at) =>
      `[program:idle-${at}]\ncommand=/bin/true\nautostart=false\nstdout_logfile=NONE\nstderr_logfile=NONE\n`,
  );
  await Deno.writeTextFile(
    config,
    `[unix_http_server]\nfile=${socket}\nchmod=0777\n[supervisord]\nnodaemon=true\nsilent=true\nlogfile=${log}\n` +
      `pidfile=${dir.path}/pid\nchildlogdir=${dir.path}\n[rpcinterface:supervisor]\n` +
      "supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface\n" +
      [...interfaces, ...programs].join(""),
  );
  const child = new Deno.Command("/usr/bin/supervisord", {
    args: ["-n", "-c", config],
    env: { PYTHONPATH: `${root}templates`, PYTHONDONTWRITEBYTECODE: "1" },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const isThere = () => Deno.stat(socket).then(() => true, () => false);
  await until("supervisord to serve", isThere);
  return {
    socket,
    ownSocket: join(dir.path, "own.sock"),
    pid: child.pid,
    logText: () => Deno.readTextFile(log),
    async [Symbol.asyncDispose]() {
      child.kill("SIGCONT");
      child.kill("SIGKILL");
      await child.status;
      await dir[Symbol.asyncDispose]();
    },
  };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** All that supervisord says to one connection until it closes it. */
async function said(socket: string, ...parts: Uint8Array[]): Promise<string> {
  using connection = await Deno.connect({ transport: "unix", path: socket });
  for (const part of parts) await writeAll(connection, part).catch(() => {}); // it may be closed meanwhile
  const bytes = new Uint8Array(65_536);
  let text = "";
  const read = () => connection.read(bytes).catch(() => null);
  for (let count = await read(); count !== null; count = await read()) {
    text += new TextDecoder().decode(bytes.subarray(0, count));
  }
  return text;
}

/** What supervisord answers to a body. */
function answer(socket: string, body: Uint8Array, length = String(body.length)): Promise<string> {
  return said(socket, bytesOf(`POST /RPC2 HTTP/1.0\r\nContent-Length: ${length}\r\n\r\n`), body);
}

const call = (method: string, params = "", before = "") =>
  `<?xml version="1.0"?>${before}<methodCall><methodName>${method}</methodName><params>${params}</params></methodCall>`;
const param = (value: string) => `<param><value>${value}</value></param>`;
const VERSION = call("supervisor.getVersion");

function utf16(text: string, isBig: boolean): Uint8Array {
  return new Uint8Array([...`\ufeff${text}`].flatMap((one) => {
    const code = one.charCodeAt(0);
    return isBig ? [code >> 8, code & 255] : [code & 255, code >> 8];
  }));
}

/** Each entity is ten of the one before. */
const ENTITIES = `<!DOCTYPE a [<!ENTITY e0 "eeeeeeeeee">${
  Array.from({ length: 4 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join("")
}]>`;
const NESTED = call("supervisor.getVersion", param("<string>&e4;</string>"), ENTITIES);

const REFUSED: [what: string, body: string | Uint8Array][] = [
  ["nested entities", NESTED],
  ["nested entities after a byte order mark", `\ufeff${NESTED}`],
  ["nested entities in UTF-16, little end first", utf16(NESTED, false)],
  ["nested entities in UTF-16, big end first", utf16(NESTED, true)],
  ["nested entities, declared as UTF-16", NESTED.replace("?>", ' encoding="UTF-16"?>')],
  ["nested entities, declared as Latin 1", NESTED.replace("?>", ' encoding="iso-8859-1"?>')],
  ["a UTF-7 document type", VERSION.replace("?>", ' encoding="UTF-7"?>+ADwAIQ-DOCTYPE a+AD4-')],
  ["a document type", call("supervisor.getVersion", "", "<!DOCTYPE methodCall>")],
  [
    "a document type elsewhere",
    call("supervisor.getVersion", "", '<!DOCTYPE a SYSTEM "file:///etc/passwd">'),
  ],
  [
    "a document type with a parameter entity",
    call("supervisor.getVersion", "", '<!DOCTYPE a [<!ENTITY % b "c">]>'),
  ],
  ["an unknown entity", call("supervisor.startProcess", param("<string>&b;</string>"))],
  ["an instruction", call("supervisor.getVersion", "", "<?xml-stylesheet a?>")],
  ["an attribute", VERSION.replace("<params", '<params a="b"')],
  ["two methods", VERSION.replace("<params", "<methodName>supervisor.getVersion</methodName><params")],
  ["no method", "<methodCall></methodCall>"],
  ["another element", VERSION.replaceAll("methodCall", "methodResponse")],
  ["depth", call("supervisor.startProcess", param("<value>".repeat(200) + "</value>".repeat(200)))],
  ["a list", call("supervisor.startProcess", param("<array><data></data></array>"))],
  ["a structure", call("supervisor.startProcess", param("<struct></struct>"))],
  ["a large number", call("supervisor.startProcess", param(`<int>${"9".repeat(4000)}</int>`))],
  ["a number", call("supervisor.startProcess", param("<i4>1</i4>"))],
  ["a broken number", call("supervisor.startProcess", param("<double>1e999</double>"))],
  ["base 64", call("supervisor.startProcess", param("<base64>AAAA</base64>"))],
  ["a time", call("supervisor.startProcess", param("<dateTime.iso8601>1</dateTime.iso8601>"))],
  ["half a call", VERSION.slice(0, -5)],
  ["no XML", "no XML"],
  ["bytes that are no text", new Uint8Array([0xff, 0xfe, 0xfd])],
];

/** Well-formed calls that nobody of ours makes. */
const UNKNOWN = [
  call("system.multicall"),
  call("system.listMethods"),
  call(
    "supervisor.tailProcessStdoutLog",
    ["idle-1", "0", "1"].map((one) => param(`<string>${one}</string>`)).join(""),
  ),
  call("supervisor.getVersion", param("<string>a</string>").repeat(20)),
  call("supervisor.startProcess", param("<boolean>1</boolean>")),
  call("supervisor.startProcess"),
];

Deno.test("supervisord reads texts and booleans in calls, and refuses what else XML has, with one line for all", async () => {
  await using own = await supervisord();
  const isVersion = async () => /<string>3\./.test(await answer(own.socket, bytesOf(VERSION)));
  assert.ok(await isVersion());
  const wrong: string[] = [];
  for (const [what, body] of REFUSED) {
    const text = await answer(own.socket, typeof body === "string" ? bytesOf(body) : body);
    if (text !== "" && !/^HTTP\S+ 400 /.test(text)) wrong.push(`${what}: ${text.slice(0, 300)}`);
  }
  for (const body of UNKNOWN) {
    if (!(await answer(own.socket, bytesOf(body))).includes("UNKNOWN_METHOD")) wrong.push(body);
  }
  assert.equal(wrong.join("\n"), "");
  for (const length of ["-1", "0", "+1", "1e3", "9".repeat(5000), "99999", "1, 1", ""]) {
    const text = await answer(own.socket, bytesOf("x"), length);
    if (!/^HTTP\S+ 400 /.test(text)) wrong.push(`a length of ${length.slice(0, 10)}: ${text}`);
  }
  assert.equal(wrong.join("\n"), "");
  assert.ok(await isVersion(), "it serves");
  assert.ok((await answer(own.socket, bytesOf(call("programs.all")))).includes("idle-1"));
  const lines = (await own.logText()).split("\n").filter((line) => / ERRO /.test(line));
  assert.ok(lines.length <= 1, lines.join("\n"));
});

Deno.test("supervisord answers one call at a time, and nothing that comes with one", async () => {
  await using own = await supervisord();
  const length = `Content-Length: ${VERSION.length}`;
  const keeping = `POST /RPC2 HTTP/1.1\r\n${length}\r\n\r\n${VERSION}`;
  const [many, gets] = await Promise.all([
    said(own.socket, bytesOf(keeping.repeat(10) + keeping.replace("HTTP/1.1", "HTTP/1.0"))),
    said(own.socket, bytesOf(`${"GET /none HTTP/1.1\r\n\r\n".repeat(100)}GET /none HTTP/1.0\r\n\r\n`)),
  ]);
  assert.equal(many, "");
  assert.equal(gets.split("HTTP/1.1 404").length, 2, gets);
  using connection = await Deno.connect({ transport: "unix", path: own.socket });
  for (let call = 0; call < 3; call++) {
    await writeAll(connection, bytesOf(keeping));
    const bytes = new Uint8Array(4096);
    let text = "";
    while (!text.includes("</methodResponse>")) {
      const count = await connection.read(bytes);
      assert.ok(count !== null, `closed at call ${call}: ${text}`);
      text += new TextDecoder().decode(bytes.subarray(0, count));
    }
  }
});

/**
 * Another user's calls wait in a stopped supervisord, and more connections than the kernel keeps; then comes one of its own
 * user's: how many were answered before that one.
 */
const RUSH = `
import os, resource, select, signal, socket, sys
path, own_path, pid = sys.argv[1], sys.argv[2], int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
body = b"<methodCall><methodName>supervisor.getAllProcessInfo</methodName></methodCall>"
call = b"POST /RPC2 HTTP/1.1\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(body), body)
def ask(path):
    one = socket.socket(socket.AF_UNIX)
    one.setblocking(False)
    one.connect(path)
    one.setblocking(True)
    one.sendall(call)
    return one
os.kill(pid, signal.SIGSTOP)
os.seteuid(65534)
try:
    ask(own_path)
    print("the own door is open to others")
except PermissionError:
    pass
theirs = []
try:
    while True:
        theirs.append(ask(path))
except BlockingIOError:
    pass
os.seteuid(0)
own = ask(own_path)
os.kill(pid, signal.SIGCONT)
own.recv(1)
os.kill(pid, signal.SIGSTOP)
poll = select.poll()
for one in theirs:
    poll.register(one, select.POLLIN)
ready = [fd for fd, events in poll.poll(0)]
def answered(fd):
    try:
        return os.read(fd, 8) == b"HTTP/1.1"
    except OSError:
        return False
print(sum(answered(fd) for fd in ready))
os.kill(pid, signal.SIGCONT)
print(sum(answered(one.fileno()) for one in theirs[-100:] if one.fileno() not in ready))
`;

needsRoot(
  "supervisord answers its own user before what others have asked, at a door of its own, and others too",
  async () => {
    await using own = await supervisord();
    const { stdout, stderr, success } = await new Deno.Command("/usr/bin/python3", {
      args: ["-c", RUSH, own.socket, own.ownSocket, String(own.pid)],
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const [before, answered] = new TextDecoder().decode(stdout).trim().split("\n").map(Number);
    assert.ok(before < 75, `${before} of 200 were answered before`);
    assert.ok(answered > 20, `${answered} were answered after it`);
  },
);

Deno.test("an answer of supervisord's that does not end is refused", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "sock");
  const chunk = bytesOf("x".repeat(65_536));
  let sent = 0;
  const endless = () =>
    new ReadableStream({
      pull: (to) => {
        sent += chunk.length;
        to.enqueue(chunk);
      },
    });
  await using _server = Deno.serve({ path, onListen() {} }, () => new Response(endless()));
  await assert.rejects(askPrograms(path, 30_000), /does not end/);
  assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes were taken`);
});
