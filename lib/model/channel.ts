/** What a person may fix of a stream's channel: its number and its logo. Pure, also for the form. */

/** IPTV apps and remote controls take four digits. */
export const MAX_CHANNEL_NUMBER = 9999;

interface Numbered {
  id: string;
  name: string;
  /** 0: it has no number of its own. */
  channelNumber: number;
}

/**
 * The number of each stream's channel. A stream keeps its own number; of two with the same one, as a file edited by hand
 * may have, the first. Each other one has its card's position, or the next number that is free.
 * @param streams all of them, in card order.
 */
export function channelNumbers(streams: readonly Pick<Numbered, "channelNumber">[]): number[] {
  const owners = new Map<number, number>();
  for (const [at, { channelNumber }] of streams.entries()) {
    if (channelNumber > 0 && !owners.has(channelNumber)) owners.set(channelNumber, at);
  }
  let last = 0;
  return streams.map(({ channelNumber }, at) => {
    if (owners.get(channelNumber) === at) return channelNumber;
    last = Math.max(last + 1, at + 1);
    while (owners.has(last)) last++;
    return last;
  });
}

/** Why the stream cannot have its channel number; null: it can. */
export function takenNumberProblem(stream: Numbered, streams: readonly Numbered[]): string | null {
  const { id, channelNumber } = stream;
  if (channelNumber === 0) return null;
  const owner = streams.find((other) => other.id !== id && other.channelNumber === channelNumber);
  if (!owner) return null;
  const free = nextFree(channelNumber, streams);
  const example = free === null ? "0, for a number by the order of the cards" : free;
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
