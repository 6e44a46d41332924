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
          title={`Processes that run or wait, for ${coresText(cores)}: ${
            averages.join(", ")
          } over 1, 5 and 15 minutes`}
        />
        <Item name="Memory" value={memoryText(memory)} title="What is in use, of all there is" />
        {disk && (
          <Item name="Disk" value={diskText(disk)} title="Where the stream list and the profiles are" />
        )}
        {board.state.value.streams.length > 0 && (
          <Item
            name="All streams"
            value={totalText(cost, cores) || "–"}
            title="Processor and memory of all their programs, with those that they share"
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
