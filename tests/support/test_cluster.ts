/** Machines as nodes of one cluster, in process and in virtual time: real apps on fake machines, around buckets in memory. */
import { strict as assert } from "node:assert";
import { ClusterList } from "../../lib/cluster/cluster_list.ts";
import type { StreamId } from "../../lib/model/id.ts";
import type { Spoken } from "../../lib/cluster/protocol.ts";
import { type TestApp, testApp } from "./app.ts";
import { type BucketView, type FakeBlobs, FakeShared } from "./fake_bucket.ts";
import { FakeClock } from "./fake_clock.ts";
import { same } from "./same.ts";

const CLUSTER = "wall";
/** What all nodes know. */
export const SECRET = new Uint8Array(32);

/** A hash takes time of its own, which no clock has. */
export async function untilStored(app: TestApp, name: string, clock: FakeClock): Promise<void> {
  await same(async () => {
    await clock.advance(100);
    return app.service.login.users.find(name) !== undefined;
  }, true);
}

/** A stream with its display, browser and page takes some seconds to start; three start at a time. */
export const START_MS = 40_000;

export interface TestNode {
  app: TestApp;
  name: string;
  /** Says whether it reaches the cluster. */
  reach(isThere: boolean): void;
}

export interface TestCluster {
  clock: FakeClock;
  nodes: TestNode[];
  /** Starts a node on data of its own, or on those of an earlier start. */
  join(name: string, options?: { dir?: string; isThere?: boolean; spoken?: Spoken }): Promise<TestNode>;
  /** Ends a node as a crash does: its programs and data stay. */
  end(node: TestNode): Promise<void>;
  shared: FakeShared["buckets"];
  profiles: FakeBlobs;
  /** What nodes have asked each other. */
  asked: string[];
  /** The nodes whose browser of a stream runs. */
  runners(id: string): string[];
}

export function clusterTest(
  name: string,
  count: number,
  test: (cluster: TestCluster) => Promise<void>,
  env: Record<string, string> | ((node: string) => Record<string, string>) = {},
): void {
  Deno.test(`cluster: ${name}`, async () => {
    using clock = new FakeClock();
    const shared = new FakeShared(() => clock.now());
    await ClusterList.found(shared.buckets.streams.view(), CLUSTER, 0);
    const nodes: TestNode[] = [];
    const asked: string[] = [];
    const end = async (node: TestNode) => {
      if (!nodes.includes(node)) return;
      nodes.splice(nodes.indexOf(node), 1);
      const ended = node.app[Symbol.asyncDispose]();
      await clock.advance(START_MS);
      await ended;
    };
    const join: TestCluster["join"] = async (name, { dir, isThere: isReached = true, spoken } = {}) => {
      let views: BucketView[] = [];
      let isThere = isReached;
      const reach = (isIn: boolean) => {
        isThere = isIn;
        for (const [at, bucket] of Object.values(shared.buckets).entries()) {
          if (!views[at]) continue;
          views[at].isAway = !isIn;
          if (isIn) bucket.catchUp(views[at]);
        }
      };
      const open = () => {
        const connected = shared.connect(() => isThere);
        views = Object.values(connected.buckets);
        reach(isThere);
        return Promise.resolve(connected);
      };
      const ask = (input: string | URL | Request, init?: RequestInit) => {
        const { hostname, pathname, search } = new URL(String(input));
        const other = nodes.find((node) => node.name === hostname);
        asked.push(`${name} -> ${hostname}: ${init?.method} ${pathname}`);
        if (!other) return Promise.reject(new Error("no route"));
        const headers = new Headers(init?.headers);
        headers.set("host", `${hostname}:3000`);
        return other.app.fetch(pathname + search, { ...init, headers, peer: "10.0.0.1" });
      };
      const address = `http://${name}:3000`;
      const membership = { id: CLUSTER, name, address, secret: SECRET, spoken, ask, open };
      const own = typeof env === "function" ? env(name) : env;
      const app = await testApp({ isStarted: true, isLiving: true, membership, dir, env: own });
      const node = { app, name, reach };
      nodes.push(node);
      return node;
    };
    try {
      for (let at = 0; at < count; at++) await join(`n${at}`);
      await clock.advance(10_000);
      const runners = (id: string) => {
        const runs = ({ app }: TestNode) => app.living!.problem(id as StreamId) === null;
        return nodes.filter(runs).map(({ name }) => name);
      };
      await test({
        clock,
        nodes,
        join,
        end,
        runners,
        asked,
        shared: shared.buckets,
        profiles: shared.profiles,
      });
    } finally {
      for (const node of [...nodes]) await end(node);
    }
  });
}

/** Creates a stream by one node, and waits until it runs somewhere. @returns where. */
export async function running(
  { clock, nodes, runners }: TestCluster,
  id: string,
  at = 0,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const created = nodes[at].app.create({ name: id, url: `https://${id}.example.org/`, ...fields });
  await clock.advance(START_MS);
  await created;
  const where = runners(id);
  assert.equal(where.length, 1, `${id} runs on ${where}`);
  return where[0];
}

/** The answer to what takes time: no longer than a minute. */
export async function soon<Answer>(clock: FakeClock, asked: Promise<Answer>): Promise<Answer> {
  let isThere = false;
  void asked.finally(() => isThere = true).catch(() => {});
  for (let seconds = 0; seconds < 60 && !isThere; seconds++) await clock.advance(1000);
  return await asked;
}
