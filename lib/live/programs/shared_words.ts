/** The programs that all streams share, with their names for people and their work: for documentation, too. */

interface SharedRow {
  word: string;
  about: string;
}

/** The web app itself, which `up` watches. */
export const WEB_APP: SharedRow = {
  word: "web app",
  about: "Pages, API and channels; it decides on all streams and watches the other programs",
};

/** The programs that the web app watches. */
const TABLE = {
  media: {
    word: "media server",
    about: "nginx with the RTMP module: takes the encoders' pictures and writes segments",
  },
  "vnc-proxy": { word: "VNC proxy", about: "websockify: connects VNC viewers to the streams' displays" },
  capture: { word: "capture program", about: "Hands the encoders their pictures; it stays a Deno process" },
  front: {
    word: "front door",
    about: "nginx on `PORT`: limits connections and passes requests to the web app",
  },
} as const satisfies Record<string, SharedRow>;

export type SharedName = keyof typeof TABLE;

export const SHARED_PROGRAMS: Readonly<Record<SharedName, SharedRow>> = TABLE;

export const SHARED_NAMES = Object.keys(TABLE) as SharedName[];
