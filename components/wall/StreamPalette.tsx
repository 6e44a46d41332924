import { useState } from "preact/hooks";
import type { WallDraft } from "./useWallDraft.ts";
import { StreamPicture } from "./StreamPicture.tsx";
import type { WallStream } from "./wallStreams.ts";

/** Up to this number of streams the palette needs no filter. */
const FEW = 8;

interface StreamPaletteProps {
  draft: WallDraft;
  streams: readonly WallStream[];
}

/** All streams, to be dragged into slots; a click puts a stream into the chosen slot. */
export function StreamPalette({ draft, streams }: StreamPaletteProps) {
  const [query, setQuery] = useState("");
  const words = query.trim().toLowerCase();
  const found = streams.filter(({ name, group, id }) =>
    `${name} ${group} ${id}`.toLowerCase().includes(words)
  );
  const used = new Set<string | null>(draft.layout.slots.map(({ stream }) => stream));
  return (
    <section class="palette" aria-labelledby="palette-title">
      <h2 id="palette-title">Streams</h2>
      <p class="hint">Drag one into a slot, or click it to fill the chosen slot.</p>
      {streams.length > FEW && (
        <input
          type="search"
          aria-label="Find a stream"
          placeholder="Find a stream"
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
      )}
      {streams.length === 0 && <p class="hint">There are no streams yet.</p>}
      {streams.length > 0 && found.length === 0 && <p class="hint">No stream matches.</p>}
      <ul data-streams>
        {found.map((stream) => {
          const { id, name, group, isOn } = stream;
          return (
            <li key={id} data-stream={id}>
              <button type="button" class="palette-stream" onClick={() => draft.placeNext(id)}>
                <StreamPicture stream={stream} />
                <span class="wrap palette-name">{name}</span>
                <span class="hint">
                  {used.has(id) ? "on the wall" : [isOn ? "" : "stopped", group].filter(Boolean).join(" · ")}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
