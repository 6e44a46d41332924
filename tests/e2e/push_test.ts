/** A channel that is pushed: to another nginx-rtmp, by TLS too, and by SRT in both directions, with real receivers. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { processesOfRun } from "../../lib/machine/os/orphans.ts";
import { type Issuer, makeIssuer } from "../support/certificates.ts";
import { closeAnyway } from "../../lib/machine/tools/close.ts";
import { tempDir } from "../support/fixture.ts";
import { probe } from "../support/media.ts";
import { commandLine, environment } from "../support/proc.ts";
import { same, until } from "../support/same.ts";
import { SMALL, startService, type TestService } from "../support/service.ts";
import { reserveSlot } from "../support/slot.ts";
import { inSoak } from "../support/soak.ts";

const KEY = "sesame-key-1";

const all = new AsyncDisposableStack();
let service: TestService;
let id: string;
let folder: string;
let ports: number[];
let issuer: Issuer;

Deno.test.beforeAll(async () => {
  folder = all.use(await tempDir()).path;
  ports = all.use(reserveSlot()).ports;
  const certificates = join(folder, "certificates");
  const ca = join(folder, "ca");
  for (const path of [certificates, ca]) await Deno.mkdir(path);
  issuer = await makeIssuer(certificates);
  await Deno.writeTextFile(join(ca, "company.pem"), issuer.ca);
  // the receivers are on this machine
  service = await startService({ env: { ALLOW_LOCAL_STREAMS: "true", CA_DIR: ca }, streams: SMALL });
  all.defer(async () => {
    await service.stop();
  });
  ({ id } = await service.create({ name: "Pushed", url: `${service.pageUrl}clock.html` }));
  await service.untilState(id, "running");
});
Deno.test.afterAll(() => all.disposeAsync());

async function pushTo(pushTo: string, pushKey: string): Promise<void> {
  const answer = await service.api("PATCH", `/api/streams/${id}`, { pushTo, pushKey });
  assert.equal(answer.status, 200, await answer.text());
}

async function report(): Promise<{ state: string; kbps: number; problem: string } | null> {
  return (await (await service.api("GET", "/api/figures")).json())[id].push;
}

const untilState = (state: string) =>
  until(`the push to be ${state}`, async () => (await report())?.state === state);

/** Another media server, which takes channels of one application. */
async function receiver(port: number): Promise<AsyncDisposable> {
  const file = join(folder, `nginx-${crypto.randomUUID()}.conf`);
  await Deno.writeTextFile(
    file,
    `load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
daemon off; worker_processes 1; master_process off; pid ${file}.pid; error_log ${file}.log;
events {}
rtmp { server { listen 127.0.0.1:${port}; application live { live on; } } }
`,
  );
  return program(["/usr/sbin/nginx", "-c", file]);
}

function program([name, ...args]: string[]): AsyncDisposable & { ended: Promise<Deno.CommandStatus> } {
  const child = new Deno.Command(name, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
  return {
    ended: child.status,
    [Symbol.asyncDispose]: async () => {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has ended
      }
      await child.status;
    },
  };
}

/** Some seconds that came to a receiver. */
async function assertWhole(input: string, seconds: number): Promise<void> {
  const file = join(folder, `${crypto.randomUUID()}.ts`);
  await using recorder = program([
    ...["/usr/bin/ffmpeg", "-loglevel", "error", "-i", input, "-t", String(seconds), "-c", "copy", file],
  ]);
  await recorder.ended;
  const { streams } = await probe(file);
  assert.deepEqual(streams.map((stream) => stream.codec_name), ["h264", "aac"]);
}

Deno.test("RTMP: the receiver gets the channel; it may refuse, vanish and come back, and the channel goes on; its end leaves nothing", async () => {
  const [port] = ports;
  await pushTo(`rtmp://127.0.0.1:${port}/live`, KEY);
  await untilState("waiting");
  await same(async () => (await report())!.problem, /refuses the connection/);
  {
    await using _ = await receiver(port);
    await untilState("sending");
    await assertWhole(`rtmp://127.0.0.1:${port}/live/${KEY}`, 3);
    await same(async () => (await report())!.kbps > 0, true);
    const pids = processesOfRun(service.runDir);
    const lines = pids.map(commandLine);
    const [pushing] = pids.filter((_, at) => lines[at].includes("-progress"));
    assert.ok(pushing, "ffmpeg pushes");
    assert.doesNotMatch(environment(pushing), /CA_DIR=/, "no variable of the service");
    assert.ok(!lines.some((line) => line.includes(KEY)), "no command line has the key");
  }
  await until("the end to be told", async () => (await report())?.problem !== "");
  await using _ = await receiver(port);
  await untilState("sending");
  const { state } = await service.status(id);
  assert.equal(state, "running");
  const { events } = await (await service.api("GET", `/api/streams/${id}/events`)).json();
  const told: string[] = events.map(({ text }: { text: string }) => text);
  // what came before is the start's, which a busy machine may disturb
  const texts = told.slice(told.findIndex((text) => text.startsWith("The push to")));
  assert.ok(texts.length > 2, told.join("\n"));
  assert.ok(!texts.some((text) => /encoder.*(restart|ended)/i.test(text)), texts.join("\n"));

  await pushTo("", "");
  await until(
    "ffmpeg to end",
    () => !processesOfRun(service.runDir).map(commandLine).some((it) => it.includes("-progress")),
  );
  await until("the report to be forgotten", async () => await report() === null);
  for await (const { name } of Deno.readDir(join(service.runDir, "slots"))) {
    for (const entry of Deno.readDirSync(join(service.runDir, "slots", name, "tmp"))) {
      assert.ok(!entry.name.endsWith(".ffpreset"), entry.name);
    }
  }
});

/** Takes TLS off what comes, and hands it to a receiver. */
function behindTls(
  port: number,
  inner: number,
  { cert, key }: { cert: string; key: string },
): AsyncDisposable {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port, cert, key });
  const ends: Deno.Conn[] = [];
  const work: Promise<unknown>[] = [];
  // what ends it ends all of it
  const begin = (piece: Promise<unknown>) => work.push(piece.catch(() => {}));
  begin((async () => {
    for await (const outside of listener) {
      const inside = await Deno.connect({ hostname: "127.0.0.1", port: inner });
      ends.push(outside, inside);
      begin(outside.readable.pipeTo(inside.writable));
      begin(inside.readable.pipeTo(outside.writable));
    }
  })());
  return {
    [Symbol.asyncDispose]: async () => {
      listener.close();
      for (const end of ends) closeAnyway(end);
      await Promise.all(work);
    },
  };
}

inSoak(Deno.test)(
  "RTMPS: only a receiver whose certificate is valid gets the key and the channel",
  async () => {
    const [inner, , , outer] = ports;
    await using _ = await receiver(inner);
    {
      await using _ = behindTls(outer, inner, await issuer.selfSigned("127.0.0.1"));
      await pushTo(`rtmps://127.0.0.1:${outer}/live`, KEY);
      await until(
        "its refusal",
        async () => /certificate is not valid/.test((await report())?.problem ?? ""),
      );
    }
    await using _tls = behindTls(outer, inner, await issuer.issue("127.0.0.1"));
    await untilState("sending");
    await assertWhole(`rtmp://127.0.0.1:${inner}/live/${KEY}`, 3);
  },
);

inSoak(Deno.test)(
  "SRT: the channel is sent to a receiver that waits, with a passphrase, and to one that calls",
  async () => {
    const [, called, listening] = ports;
    const waiting = assertWhole(`srt://127.0.0.1:${called}?mode=listener&passphrase=sesame12345`, 3);
    await pushTo(`srt://127.0.0.1:${called}?latency=200`, "sesame12345");
    await waiting;
    await pushTo(`srt://0.0.0.0:${listening}?mode=listener`, "");
    const isListening = async () =>
      // 31000 to 31999, the inner ports
      /0100007F:7[9A-C][0-9A-F]{2} /.test(await Deno.readTextFile("/proc/net/udp"));
    for (const receiver of ["the first", "the next"]) {
      await until(`the program to wait for ${receiver}`, isListening);
      await assertWhole(`srt://127.0.0.1:${listening}`, 3);
      // between the two it is nobody else's
      const python =
        `import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(("0.0.0.0", ${listening}))`;
      const { stderr } = await new Deno.Command("/usr/bin/python3", { args: ["-c", python], stderr: "piped" })
        .output();
      assert.match(new TextDecoder().decode(stderr), /Address already in use/, receiver);
    }
  },
);

Deno.test("a receiver that hangs is told, and its stream goes on", async () => {
  // nobody takes its connections, so that it says nothing
  using hung = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await pushTo(`rtmp://127.0.0.1:${hung.addr.port}/live`, KEY);
  await same(async () => (await report())?.problem, "the receiver does not answer");
  await service.untilState(id, "running");
});
