/**
 * The last pictures of the channels that the viewer may change to next. They are there at the key's press, and the live
 * picture takes their place.
 */
import type { Channel } from "./channels.ts";

const pathOf = (id: string) => `/api/streams/${encodeURIComponent(id)}/thumb`;

export interface LastPictures {
  /** Loads those of these channels, as far as there are any, and forgets the others. */
  load(channels: readonly (Channel | null)[]): void;
  /** The address of one. */
  of(id: string): string;
}

export function lastPictures(): LastPictures {
  let loaded: { [id: string]: string } = {};

  async function load(id: string, into: { [id: string]: string }) {
    try {
      const response = await fetch(pathOf(id));
      // a 202 is an image that says there is none yet
      if (response.status !== 200) return;
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
      loaded = {};
      for (const channel of channels) if (channel) load(channel.id, loaded);
    },
    of: (id) => loaded[id] || pathOf(id),
  };
}
