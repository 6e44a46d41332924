/**
 * The thumbnails of the channels that the viewer may change to next. They are there at the key's press, and the live
 * picture takes their place.
 */
import { OWN_ANSWER } from "../lib/model/own_answer.ts";
import type { Channel } from "./channels.ts";

export interface NextThumbnails {
  /** Loads the thumbnails of these channels, where there are any, and forgets the others. */
  load(channels: readonly (Channel | null)[]): void;
  /** The address of one; "" when it is not loaded. */
  of(id: string): string;
}

export function nextThumbnails(): NextThumbnails {
  // an id may be the name of a property that other objects have
  let loaded: { [id: string]: string } = Object.create(null);

  async function load(id: string, into: { [id: string]: string }) {
    try {
      const response = await fetch(`/api/streams/${encodeURIComponent(id)}/thumb`);
      // a 202 is an image that says there is none yet, and a proxy's 200 its login
      if (response.status !== 200 || !response.headers.has(OWN_ANSWER)) return;
      const address = URL.createObjectURL(await response.blob());
      if (into === loaded) into[id] = address;
      else URL.revokeObjectURL(address);
    } catch (_) {
      // the change does without it
    }
  }

  return {
    load(channels) {
      for (const id of Object.keys(loaded)) URL.revokeObjectURL(loaded[id]);
      loaded = Object.create(null);
      for (const channel of channels) if (channel) load(channel.id, loaded);
    },
    of: (id) => loaded[id] || "",
  };
}
