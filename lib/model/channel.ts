/** A stream's channel: its number, and a logo that a person may give it. Pure, also for the form. */

/** IPTV apps and remote controls take four digits. */
export const MAX_CHANNEL_NUMBER = 9999;

interface Numbered {
  id: string;
  name: string;
  /** 0: it has none yet. */
  channelNumber: number;
}

/**
 * The streams, each with a number of its own. A stream keeps the number that it has; of two with the same one, as a file
 * edited by hand may have, the first. Each other one, as in a list of an earlier version, gets its card's position, or the
 * next number that is free. Streams that have one are the very same objects.
 * @param streams all of them, in card order.
 */
export function withNumbers<Each extends Pick<Numbered, "channelNumber">>(streams: readonly Each[]): Each[] {
  const owners = new Map<number, number>();
  for (const [at, { channelNumber }] of streams.entries()) {
    if (channelNumber > 0 && !owners.has(channelNumber)) owners.set(channelNumber, at);
  }
  let last = 0;
  return streams.map((stream, at) => {
    if (owners.get(stream.channelNumber) === at) return stream;
    last = Math.max(last + 1, at + 1);
    while (owners.has(last)) last++;
    return { ...stream, channelNumber: last };
  });
}

/**
 * The number of a new channel: one more than the highest, since an app may still record by the number of a channel that was
 * deleted (of the last one, its number comes again); beyond 9999 the lowest that is free.
 */
export function nextNumber(streams: readonly Pick<Numbered, "channelNumber">[]): number {
  const taken = new Set(streams.map(({ channelNumber }) => channelNumber));
  const highest = Math.max(0, ...taken);
  if (highest < MAX_CHANNEL_NUMBER) return highest + 1;
  let number = 1;
  while (taken.has(number)) number++;
  return number;
}

/** The streams with `nextNumber` for each, in their order, that has no number yet. */
export function withNextNumbers<Each extends Pick<Numbered, "channelNumber">>(
  streams: readonly Each[],
): Each[] {
  const all = [...streams];
  for (const [at, stream] of all.entries()) {
    if (stream.channelNumber === 0) all[at] = { ...stream, channelNumber: nextNumber(all) };
  }
  return all;
}

/** Why the stream cannot have its channel number; null: it can. */
export function takenNumberProblem(stream: Numbered, streams: readonly Numbered[]): string | null {
  const { id, channelNumber } = stream;
  if (channelNumber === 0) return null;
  const owner = streams.find((other) => other.id !== id && other.channelNumber === channelNumber);
  if (!owner) return null;
  const free = nextFree(channelNumber, streams);
  const example = free === null ? "0, for a number that is free" : free;
  return `"${owner.name}" has the channel number ${channelNumber}. Choose another one. Example: ${example}`;
}

function nextFree(after: number, streams: readonly Numbered[]): number | null {
  const taken = new Set(streams.map(({ channelNumber }) => channelNumber));
  let number = after;
  while (taken.has(number)) number++;
  return number > MAX_CHANNEL_NUMBER ? null : number;
}

/** The problem of a logo's address; null: it is valid. Apps load it; the service never does. */
export function logoProblem(text: string): string | null {
  const example = "Example: https://nas.example.org/logos/news.png";
  if (text === "") return null;
  if (text.length > 1000) return "The address of the logo has more than 1000 characters.";
  if (/[\p{Cc}\s]/u.test(text) || !/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    return `The logo is the http or https address of a picture. ${example}`;
  }
  const { username, password } = new URL(text);
  if (username + password === "") return null;
  return `Everybody who has the playlist can read the logo's address. Leave out user name and password. ${example}`;
}
