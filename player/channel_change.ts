/** Changes to other channels: by the channel keys, by number and by the list over the picture. */
import { type Banner, bannerIn } from "./banner.ts";
import { channelListIn } from "./channel_list.ts";
import { type Channel, feedOf, fetchChannels, isOn, neighbour, positionOf, transportOf } from "./channels.ts";
import { actionOf, digitOf } from "./keys.ts";
import { nextThumbnails } from "./next_thumbnails.ts";
import type { Live, LiveStream } from "./live.ts";
import { numberEntry } from "./number_entry.ts";
import { renamePage } from "./page_name.ts";
import { store } from "./kept.ts";

/** How old the list of channels may be when a key is pressed. */
const REFRESH_MS = 60_000;
/** Of keys that come faster than this, as of one that is held, only the last one's channel is played. */
const PACE_MS = 300;
/** The board reads it to give its focus back (components/board/card/boardCard.ts). */
const BOARD_CARD = "board-card";

export interface ChannelChange {
  /** Carries out a key that is about channels. @returns whether it was. */
  takes(event: KeyboardEvent): boolean;
  /** Closes the list if it is open. @returns whether it was. */
  closeList(): boolean;
  /** @returns false where there is nothing to choose from. */
  openList(): boolean;
}

interface Page {
  video: HTMLVideoElement;
  banner: HTMLElement;
  list: HTMLElement;
  /** Its button, which is there as soon as there is something to choose from. */
  button: HTMLElement;
}

/** @param url address of the list of channels. @param first what plays now. */
export function channelChange(page: Page, url: string, live: Live, first: LiveStream): ChannelChange {
  const banner: Banner = bannerIn(page.banner);
  const thumbnails = nextThumbnails();
  const list = channelListIn(page.list, (channel) => tune(channel));
  const entry = numberEntry(
    (digits) => {
      const channel = withNumber(Number(digits));
      banner.show(digits, channel ? channel.name : "");
    },
    (number) => {
      const channel = withNumber(number);
      if (channel) tune(channel);
      else banner.show(String(number), "There is no such channel.");
    },
  );
  let channels: Channel[] = [];
  let current = first.id;
  let preparedFor = "";
  let changedAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isChoice = () => channels.some(({ id }) => id !== current);

  function withNumber(number: number): Channel | undefined {
    return channels.filter((channel) => channel.number === number)[0];
  }

  async function refresh() {
    const found = await fetchChannels(url);
    if (!found) return;
    banner.setClock(found.date);
    channels = found.channels;
    page.button.hidden = !isChoice();
  }

  /** Loads ahead the thumbnails that the next change may need. */
  function prepare() {
    preparedFor = current;
    thumbnails.load([neighbour(channels, current, 1), neighbour(channels, current, -1)]);
  }

  /** @param isStep whether a channel key asks for it, which may be held. */
  function tune(channel: Channel, isStep = false) {
    const isOther = channel.id !== current;
    current = channel.id;
    entry.cancel();
    list.close();
    banner.show(String(channel.number), channel.name);
    if (!isOther) return;
    const now = Date.now();
    const isHeld = isStep && now - changedAt < PACE_MS;
    changedAt = now;
    clearTimeout(timer);
    if (isHeld) timer = setTimeout(() => play(channel), PACE_MS);
    else play(channel);
  }

  function play(channel: Channel) {
    const { id, name } = channel;
    renamePage(id, name);
    store(BOARD_CARD, id);
    page.video.poster = isOn(channel) ? thumbnails.of(id) : "";
    const { statuses, proxy, direct, instant } = first;
    const feeds = { proxy: feedOf(proxy, id), direct: channel.onDemand ? "" : feedOf(direct, id) };
    live.tune({ id, statuses, ...feeds, instant: transportOf(instant, id) }, isOn(channel));
  }

  function step(by: 1 | -1) {
    const channel = neighbour(channels, current, by);
    if (channel) tune(channel, true);
    else banner.show("", "No other channel is on.");
  }

  function openList(): boolean {
    if (!isChoice()) return false;
    banner.hide();
    list.open(channels, current);
    return true;
  }

  function showCurrent() {
    const channel = channels[positionOf(channels, current)];
    if (channel) tune(channel); // which plays already, so that only the banner shows
  }

  function takes(event: KeyboardEvent): boolean {
    const digit = digitOf(event);
    const action = actionOf(event);
    if (digit !== null) entry.add(digit);
    else if (action === null) return false;
    else if (entry.isTyping() && action === "ok") entry.finish();
    else if (entry.isTyping() && action === "back") {
      entry.cancel();
      banner.hide();
    } else if (list.takes(event, action)) return true;
    else if (action === "channelUp") step(1);
    else if (action === "channelDown") step(-1);
    else if (action === "channels") openList();
    else if (action === "info") showCurrent();
    else return false;
    event.preventDefault();
    return true;
  }

  // the picture that plays comes first
  page.video.addEventListener("playing", () => preparedFor === current || prepare());
  setInterval(() => document.hidden || refresh().then(prepare), REFRESH_MS);
  refresh().then(() => page.video.currentTime > 0 && prepare());

  return { takes, openList, closeList: list.close };
}
