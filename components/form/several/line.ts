/** A stream to be added, as a pasted text has it. */
export interface Line {
  name: string;
  url: string;
  /** What an M3U playlist says of it beside its name. */
  channelNumber?: string;
  channelLogo?: string;
  group?: string;
  userAgent?: string;
  /** The playlist's settings for it that no stream has, in words. */
  leftOut?: string[];
}
