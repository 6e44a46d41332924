/**
 * A service as two nodes of a cluster: one has all streams, the other one is asked. What is on the owner's machine, a test
 * pretends as on a machine that is alone; what it asks over HTTP goes through the other node. The owner is quick: it has done
 * what a change of the list asks of it before the change counts.
 */
import { join } from "node:path";
import type { Claim } from "../../lib/cluster/cluster_streams.ts";
import { ClusterList } from "../../lib/cluster/cluster_list.ts";
import { DRAINING, setDraining } from "../../lib/cluster/draining.ts";
import { SharedTexts } from "../../lib/cluster/shared_texts.ts";
import { ConflictError } from "../../lib/cluster/buckets.ts";
import type { Handler } from "../../lib/handler.ts";
import { parseStreamFile } from "../../lib/model/file.ts";
import { readOrNull } from "../../lib/machine/os/files.ts";
import { changeText, SHARED } from "../../lib/store/shared_text.ts";
import { type BucketView, FakeShared } from "./fake_bucket.ts";
import { type MemoryOptions, type MemoryService, memoryService } from "./memory_service.ts";
import { nodeOf } from "./cluster_node.ts";

export const OWNER = "owner";
const ASKED = "asked";
const CLUSTER = "main";

export interface TwoNodes {
  owner: MemoryService;
  asked: MemoryService;
  /** What the owner answers to the asked node. */
  answering(handler: Handler): void;
  /** Lets each hear of the other, as beats and news do. */
  hear(): Promise<void>;
}

/** So many turns in which what was written is told, and what was told is done. */
const TURNS = 8;

async function giveTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
}

/** Lets a conflict be, which another request was first to cause. */
function refuseOthers(error: unknown): void {
  if (!(error instanceof ConflictError)) throw error;
}

/** Lets the changes of a bucket's view count when `follower` is done. */
function follow(view: BucketView, follower: () => Promise<void>): void {
  const { put, remove } = view;
  const after = async (written: Promise<number>) => {
    const revision = await written;
    await follower();
    return revision;
  };
  Object.assign(view, {
    put: (...args: Parameters<typeof put>) => after(put(...args)),
    remove: (...args: Parameters<typeof remove>) => after(remove(...args)),
  });
}

/** @param options of the owner, whose data may be those of an earlier start. */
export async function twoNodes(options: MemoryOptions): Promise<TwoNodes> {
  let now = () => Date.now();
  const shared = new FakeShared(() => now());
  const { buckets } = shared;
  const leaving = new AbortController();
  const data = join(options.dir ?? "/nowhere", "data/streams");
  const kept = (name: string) => readOrNull(join(data, name));
  const streams = parseStreamFile(await kept("streams.json") ?? "[]").streams;
  const texts = await SharedTexts.open(buckets.texts.view(), leaving.signal);
  await setDraining(texts.of(DRAINING), ASKED, true);
  const files = [
    [SHARED.tokens, "access-tokens.json"],
    [SHARED.walls, "walls.json"],
    [SHARED.receivers, "receivers.json"],
  ] as const;
  for (const [key, file] of files) {
    const text = await kept(file);
    if (text !== null) await changeText(texts.of(key), () => text);
  }
  await ClusterList.found(buckets.streams.view(), CLUSTER, 0, streams);

  let answer: Handler | null = null;
  let asked: MemoryService | null = null;
  const ask = (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(String(input));
    const headers = new Headers(init?.headers);
    headers.set("host", url.host);
    const info: Deno.ServeHandlerInfo = {
      remoteAddr: { transport: "tcp", hostname: "10.0.0.2", port: 50_000 },
      completed: Promise.resolve(),
    };
    return answer
      ? answer(new Request(url, { ...init, headers }), info)
      : Promise.reject(new Error("no route"));
  };
  const membership = (name: string, changed: (view: BucketView) => void) => ({
    id: CLUSTER,
    name,
    address: `http://${name}:3000`,
    secret: new Uint8Array(32),
    ask,
    open: () => {
      const connected = shared.connect();
      changed(connected.buckets.streams);
      return Promise.resolve(connected);
    },
  });

  // the address is of nothing: it says that the login's secret is that of all nodes
  const env = { ...options.env, CLUSTER: "nats://10.0.0.1", CLUSTER_SECRET_FILE: "/nowhere" };
  const owner: MemoryService = await memoryService({
    ...options,
    env,
    membership: membership(OWNER, (view) => follow(view, hear)),
  });
  now = owner.machine.now;
  /** Gives the owner each stream that is to run. */
  const claimAll = async () => {
    const { streams, owners } = buckets;
    for (const id of streams.keys()) {
      const text = id.startsWith("_") ? null : streams.get(id)!.text;
      if (text === null) continue;
      const isWanted = JSON.parse(text).desiredState === "running";
      const claims = [...owners.keys()].filter((key) => key.split(".")[0] === id).flatMap((key): Claim[] => {
        const { text } = owners.get(key)!;
        return text === null ? [] : [JSON.parse(text)];
      });
      const newest = claims.toSorted((one, other) => other.term - one.term)[0];
      if (newest && (newest.state !== "left" || !isWanted)) continue;
      const state = isWanted ? "ready" : "left";
      const claim: Claim = { term: (newest?.term ?? 0) + 1, node: OWNER, state, sequence: 1 };
      const key = `${id}.${claim.term}`;
      // what is asked for at once comes here at once
      if (!owners.get(key)) await owners.view().put(key, JSON.stringify(claim), 0).catch(refuseOthers);
    }
  };
  const hear = async () => {
    await giveTurns();
    await claimAll();
    // once more: by the first beat a node is connected
    for (let round = 0; round < 2; round++) {
      nodeOf(owner).member!.round();
      if (asked) nodeOf(asked).member!.round();
      await giveTurns();
    }
    const states = await owner.service.statuses.own().catch(() => ({}));
    shared.tell("status", JSON.stringify({ node: OWNER, statuses: Object.values(states) }));
  };
  /** What is changed through the asked node is done by the owner first. */
  const done = async () => {
    await hear();
    await owner.service.fleet.settled();
    await hear();
  };
  asked = await memoryService({
    env,
    isStarted: true,
    beside: owner.machine,
    membership: membership(ASKED, (view) => follow(view, done)),
  });
  for (const one of [owner, asked]) {
    nodeOf(one).member!.round();
    await one.service.placement.known;
  }
  await hear();
  return {
    owner,
    asked,
    hear,
    answering: (handler) => void (answer = handler),
  };
}
