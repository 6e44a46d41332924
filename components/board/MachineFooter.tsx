import { coresText, diskText, memoryText, totalText, uptimeText } from "../../lib/model/answers/system.ts";
import { useBoardContext } from "./BoardContext.ts";

/** The service's and machine's figures below the cards. Figures of changing length come last: no other figure moves. */
export function MachineFooter() {
  const { board, system } = useBoardContext();
  const { version, uptimeSeconds, cores, load, memory, disks, cost } = system.value;
  const disk = disks.find(({ folder }) => folder === "DATA_DIR");
  const averages = load.map((one) => one.toFixed(2));
  return (
    <footer class="machine">
      <dl>
        <Item name="Version" value={version} />
        <Item name="Up for" value={uptimeText(uptimeSeconds)} />
        <Item
          name="Load"
          value={averages[0] ?? ""}
          title={`Processes that run or wait for ${coresText(cores)}: ${
            averages.join(", ")
          } over 1, 5 and 15 minutes`}
        />
        <Item name="Memory" value={memoryText(memory)} title="Memory in use, and in total" />
        {disk && (
          <Item
            name="Disk"
            value={diskText(disk)}
            title="The disk with the stream list and the browser profiles"
          />
        )}
        {board.state.value.streams.length > 0 && (
          <Item
            name="All streams"
            value={totalText(cost, cores) || "–"}
            title="CPU and memory of all streams, including the programs that they share"
          />
        )}
      </dl>
    </footer>
  );
}

function Item({ name, value, title }: { name: string; value: string; title?: string }) {
  return (
    <div title={title}>
      <dt>{name}</dt> <dd>{value}</dd>
    </div>
  );
}
