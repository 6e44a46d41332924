/** A stream to be added, as a pasted text has it. */
export interface Line {
  name: string;
  url: string;
  /** What an M3U playlist says of it beside its name. */
  channelNumber?: string;
  channelLogo?: string;
  group?: string;
  userAgent?: string;
  /** What a playlist says of it, and no stream takes, in words. */
  leftOut?: string[];
}
