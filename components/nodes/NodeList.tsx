import { MOST_APART_SECONDS, type NodeFacts } from "../../lib/model/answers/node.ts";
import { coresText, memoryText } from "../../lib/model/answers/system.ts";
import type { HeaderFacts } from "../../lib/model/answers/header.ts";
import { PageHeader } from "../header/PageHeader.tsx";

interface NodeListProps {
  header: HeaderFacts;
  nodes: readonly NodeFacts[];
  /** Why this machine is not in its cluster; null: it is. */
  problem: string | null;
}

/** The cluster's nodes as plain forms: the page works without JavaScript. */
export function NodeList({ header, nodes, problem }: NodeListProps) {
  return (
    <>
      <PageHeader header={header} />
      <main id="main" class="page column nodes">
        <h1>Nodes</h1>
        <p class="quiet-text">
          Each stream runs on one node. <a href="/nodes">Look again</a>
        </p>
        {problem !== null && (
          <p class="problem" role="alert">This machine is not in its cluster: {problem}.</p>
        )}
        {nodes.length === 0 && problem === null && <p>Connecting to the cluster…</p>}
        <ul>{nodes.map((node) => <NodeRow key={node.name} node={node} />)}</ul>
      </main>
    </>
  );
}

function NodeRow({ node }: { node: NodeFacts }) {
  const { name, isHere, address, version, streams, freePercent, load, isDraining, aheadSeconds } = node;
  const isOff = Math.abs(aheadSeconds) > MOST_APART_SECONDS;
  const clock = `its clock is ${Math.abs(Math.round(aheadSeconds))} s ${
    aheadSeconds > 0 ? "ahead" : "behind"
  }`;
  return (
    <li class="box node-row">
      <h2>
        {name} {isHere && <span class="quiet-text">this one</span>}
      </h2>
      <p>
        {streams === 1 ? "1 stream" : `${streams} streams`}, {freePercent} % free
        {isDraining && ", moves its streams to the other nodes"}
      </p>
      {load && <p>Load {load.average.toFixed(1)} on {coresText(load.cores)}, memory {memoryText(load)}</p>}
      <p class="quiet-text">
        {address}, version {version}
        {isOff && <strong class="problem">, {clock}</strong>}
      </p>
      <form method="post" action="/nodes">
        <input type="hidden" name="node" value={name} />
        <button
          type="submit"
          class="button"
          name="do"
          value={isDraining ? "resume" : "drain"}
          aria-label={isDraining ? `Resume ${name}` : `Drain ${name}`}
          title={isDraining
            ? "Takes streams again"
            : "Moves its streams to the other nodes and takes no new ones"}
        >
          {isDraining ? "Resume" : "Drain"}
        </button>
      </form>
    </li>
  );
}
