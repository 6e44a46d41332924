import type { PublicStream, StreamState, StreamStatus } from "../lib/streams/stream.ts";
import type { Command } from "./api.ts";
import { duration } from "./boardState.ts";
import { Icon } from "./Icon.tsx";
import { StateChip } from "./StateChip.tsx";

interface StreamCardProps {
  stream: PublicStream;
  status: StreamStatus;
  busy?: Command;
  onCommand: (command: Command) => void;
  onEdit: () => void;
  onDelete: () => void;
}

/** One stream: what it shows, how it is, and what can be done with it. Its height never depends on its state. */
export function StreamCard({ stream, status, busy, onCommand, onEdit, onDelete }: StreamCardProps) {
  const { id, name } = stream;
  const hasProblem = status.state === "failed" || status.state === "degraded";
  const toggle = status.state === "stopped" ? "start" : "stop";
  return (
    <li class={`card is-${status.state}`} id={`stream-${id}`} tabIndex={-1} aria-labelledby={`name-${id}`}>
      <div class="card-status">
        <StateChip state={status.state} />
        {hasProblem && (
          <button
            type="button"
            class="js quiet small"
            disabled={!!busy}
            onClick={() => onCommand("restart")}
          >
            <Icon name="restart" />Restart<span class="hidden">{name}</span>
          </button>
        )}
      </div>
      <h2 id={`name-${id}`}>{name}</h2>
      <a class="card-page" href={stream.url} target="_blank" rel="noreferrer">{shortUrl(stream.url)}</a>
      <div class="card-detail">
        {hasProblem
          ? <p class="reason" title={status.reason}>{status.reason || "No reason is known. Restart it."}</p>
          : <Facts stream={stream} status={status} busy={busy} />}
      </div>
      <div class="card-actions">
        <a class={`button play ${isWatchable(status.state) ? "primary" : ""}`} href={`/player/${id}.html`}>
          <Icon name="play" />Play<span class="hidden">{name}</span>
        </a>
        <button
          type="button"
          class="js toggle"
          aria-disabled={!!busy}
          onClick={() =>
            busy || onCommand(toggle)}
        >
          <Icon name={toggle} />
          {toggle === "start" ? "Start" : "Stop"}
          <span class="hidden">{name}</span>
        </button>
        <a
          class="button quiet feed"
          href={`/api/hls/live/${id}/index.m3u8`}
          title="HLS feed for other players"
        >
          HLS<span class="hidden">feed of {name}</span>
        </a>
        <button type="button" class="js quiet square" title="Edit" onClick={onEdit}>
          <Icon name="edit" />
          <span class="hidden">Edit {name}</span>
        </button>
        <button type="button" class="js quiet square" title="Delete" onClick={onDelete}>
          <Icon name="delete" />
          <span class="hidden">Delete {name}</span>
        </button>
      </div>
    </li>
  );
}

function Facts({ stream, status, busy }: Pick<StreamCardProps, "stream" | "status" | "busy">) {
  return (
    <>
      <p>
        {stream.scale.replace("x", "×")}, {stream.fps} fps, {stream.bitrate}
        {stream.audio ? "" : ", no sound"}
      </p>
      <p>{busy === "stop" ? "Stopping…" : lifeSign(stream, status)}</p>
    </>
  );
}

function lifeSign(stream: PublicStream, status: StreamStatus): string {
  switch (status.state) {
    case "stopped":
      return "Off air";
    case "starting":
      return "Opening the page…";
    default: {
      // The youngest program: viewers have had a picture no longer than it runs.
      const uptime = status.programs.filter((it) => it.uptime > 0).map((it) => it.uptime);
      const reload = stream.autoReload ? `, reloads every ${stream.autoReloadInterval} min` : "";
      return (uptime.length ? `On air for ${duration(Math.min(...uptime))}` : "On air") + reload;
    }
  }
}

const isWatchable = (state: StreamState) => state === "running" || state === "degraded";

function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//i, "").replace(/\/$/, "");
}
