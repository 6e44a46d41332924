import { useState } from "preact/hooks";
import type { Wall } from "../../lib/model/wall/wall.ts";
import { api, problemOf } from "../client/api.ts";
import { channelOfWall, type WallStream } from "./wallStreams.ts";

/** The walls of the page, the streams that they may show, and the functions that change them. */
export function useWalls(first: Wall[], known: WallStream[], tell: (text: string) => void) {
  const [walls, setWalls] = useState(first);
  const [streams, setStreams] = useState(known);
  /** The id of the wall that is becoming a channel. */
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState("");

  function saved(wall: Wall, isNew: boolean) {
    setWalls((all) => isNew ? [...all, wall] : all.map((one) => one.id === wall.id ? wall : one));
    tell(`“${wall.name}” is saved. Screens that show it follow within seconds.`);
  }

  async function makeChannel(wall: Wall) {
    setBusy(wall.id);
    setProblem("");
    try {
      const { id, name, group, url } = await api.create(channelOfWall(wall));
      setStreams((all) => [...all, { id, name, group, url, isOn: true }]);
      tell(`“${name}” is a stream now, and starts.`);
    } catch (error) {
      setProblem(`“${wall.name}” was not made a channel. ${problemOf(error)}`);
    }
    setBusy("");
  }

  async function remove(wall: Wall) {
    await api.removeWall(wall.id);
    setWalls((all) => all.filter(({ id }) => id !== wall.id));
  }

  return { walls, streams, busy, problem, setProblem, saved, makeChannel, remove };
}
