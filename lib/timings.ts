/** Delays and limits of the service. They are part of the config, so that a test need not wait for them. */
import * as z from "zod";

const TIMINGS = {
  /** How old supervisord's answer may be. */
  statusCacheMs: 3000,
  /** A stream may take so long to its first segment, after its delay. */
  startGraceSeconds: 20,
  /** A playlist without a new segment for so long is stale; segments last 1 to 4 s. */
  playlistStaleMs: 6000,
  /** Between two looks at each stream, whether something is to be done with it. */
  tickMs: 1000,
  /** An encoder may run so long without writing the playlist; its start takes 2 s, a full machine takes longer. */
  encoderSilentSeconds: 12,
  /** Between two looks at how busy the encoders are: three say that one is too slow. */
  encoderCheckMs: 4500,
  /** A capture program has to last so long until encoders that had to do without one are started again for it. */
  encoderReturnMs: 60_000,
  /** Between two measurements of what the streams take; a board asks every 5 s, and each takes some ms. */
  figuresMs: 4500,
  /** Between two looks at how late the event loop is. */
  loopLagMs: 1000,
  /** A channel that starts for a viewer shows a slate for so long, after its delay; and for so long, until its page is there. */
  slateMs: 60_000,
  slatePageMs: 5000,
  /** A slate may take so long to make. */
  slateMakeMs: 10_000,
  /** Of streams with several pages. */
  rotation: {
    /** The next page is opened so long before its time, or within the last half of a shorter time; it is shown to the ms. */
    aheadMs: 10_000,
    /** A page that has not loaded by then is not waited for; one that has shown nothing is skipped. */
    loadMs: 20_000,
    /** Between two looks at a page that loads, and how long it has to be loaded to be taken for whole. */
    lookMs: 250,
    settleMs: 1000,
  },
  /** Between two tries of a program that supervisord gave up. */
  programRetrySeconds: 30,
  healing: {
    /** From one try to the next: doubled each time, up to the longest. */
    firstPauseMs: 5000,
    longestPauseMs: 300_000,
    /** After so many restarts within so long, without running well between them, a program is left alone for the longest pause. */
    maxTries: 10,
    triesMs: 300_000,
    /** A stream that runs well for so long has recovered. */
    recoveredMs: 5000,
    /** What dies within so long of a program that it needs died because of that. */
    causeMs: 10_000,
  },
  /** Questions to the programs that the web app watches. */
  probe: {
    /** Between two questions (the sound server's costs 10 ms of CPU), and how long an answer may take. */
    everyMs: 10_000,
    answerMs: 5000,
    /** So many questions in a row without an answer: it hangs. */
    misses: 3,
    /** From a program's start to its first answer: ten browsers that start at once need a minute. */
    startMs: 90_000,
  },
  /** Between two looks for a browser that is expected: nobody tells that it is there, and a look costs some microseconds. */
  browserLookMs: 100,
  /** Between two looks while every stream has its browser. A stream that starts is found before its browser is there. */
  browserRestMs: 1000,
  /** Between two looks at a stream's page, each of which may take so long: what is wrong is said within 15 s. */
  pageLookMs: 5000,
  pageSilentMs: 4000,
  /** Between two checks of all windows of a browser, and as long a page may go on by itself after it was opened. */
  pageCheckMs: 20_000,
  /** A page that went to another site is brought back after so long: within 30 s in all. */
  pageAwayMs: 8000,
  /** A server may take so long for its first byte, and a page until it shows something, before that is said. */
  pageAnswerMs: 10_000,
  /** A page that has not come by then is asked for again: 5 minutes is the longest that desktop browsers wait. */
  pageGiveUpMs: 300_000,
  /** Between two tries of a page whose server is away or broken: doubled each time, up to the longest. */
  pageRetryMs: 5000,
  pageLongestRetryMs: 60_000,
  /** Likewise, of one where only a person will change something. */
  pageSlowRetryMs: 60_000,
  pageLongestSlowRetryMs: 600_000,
  /** Chromium remembers for 7 days that it was told to go on with a certificate; after so long it is told again. */
  certificateRenewMs: 432_000_000,
  /**
   * Of the time when a picture last changed: between two questions to the capture program, which is one for all streams,
   * and between two times that a status tells of a page that goes on changing.
   */
  lastChangeMs: { ask: 5000, renew: 60_000 },
  /** Of a page that is tried before it is a stream. */
  trial: {
    /** From the request to its end, start of the browser included, and for the page itself. */
    wholeMs: 20_000,
    pageMs: 14_000,
    /** Between two looks, and how long a page has to be loaded to be taken for whole. */
    lookMs: 250,
    settleMs: 1000,
  },
  /** From an event to its write to disk; and from one that failed to the next try. */
  eventsSaveMs: 1000,
  eventsRetryMs: 30_000,
  /** Between two looks at what the sign-in helpers report. */
  helperReportMs: 2000,
  /** Between two looks at all streams for their heartbeats, and between two writes of these. */
  heartbeatSampleMs: 15_000,
  heartbeatSaveMs: 300_000,
  disk: {
    /** Between two looks at how much room there is. */
    checkMs: 30_000,
    /** Less than both of these is little room: megabytes, and percent of the disk. */
    leastFreeMb: 500,
    leastFreePercent: 10,
    /** Percent of the files that the disk can hold. */
    leastFreeFilesPercent: 1,
  },
  /** Between two measurements of what the pages have stored. */
  profileCheckMs: 20_000,
  /** Between two measurements of the browsers' memory; from a browser's replacement to the next one of its stream. */
  memoryCheckMs: 60_000,
  memoryPauseMs: 600_000,
  /** From a stream's delay to its first thumbnail, when a login is over. */
  thumbnailFirstMs: 60_000,
  /** Between two thumbnails: 0.1 to 0.2 % of a core each stream (docs/performance.md). */
  thumbnailIntervalMs: 60_000,
  /** From the delay to a thumbnail that somebody waits for, if the page is painted by then. */
  thumbnailRequestedMs: 2000,
  /** Between two tries for somebody who waits. */
  thumbnailRetryMs: 10_000,
  /** Of `up`, which removes what has been left. */
  cleaning: {
    /** Between two looks whether a stream was deleted. */
    checkMs: 60_000,
    /** Between two cleanings without that. */
    everyMs: 86_400_000,
  },
  /** A request's headers must be here within so long, and each part of its body. */
  requestMs: 10_000,
  /** Of `up`, which watches supervisord, the web app, and all processes that were stopped by a signal. */
  life: {
    /** Between two looks for stopped processes; one that is found twice is ended. */
    stoppedMs: 1000,
    /** Between two questions, and how long an answer may take. */
    askMs: 2000,
    answerMs: 4000,
    /** So many questions in a row without an answer: it hangs. */
    misses: 3,
    /** From a process's start to its first answer. */
    startMs: 30_000,
  },
  vnc: {
    /** Between two checks for peers that are gone without a word. */
    checkMs: 2000,
    /** Without progress for so long, a viewer's input waits. */
    pauseMs: 4000,
    /** Without a sign of life for so long, a peer counts as gone. */
    goneMs: 24_000,
    /** From the proxy's end to the viewer's close: a stop of the service ends the proxy and us at one moment. */
    ownEndMs: 1000,
    /** The browser gets so long to take our close frame. */
    closeMs: 3000,
    /** Until the VNC proxy accepts a viewer. */
    connectMs: 5000,
    /** The VNC proxy gets so long to answer our close frame. */
    farewellMs: 1000,
    /** Open viewers of one stream, of one address, and in all: each may hold some MiB. */
    maxOfStream: 8,
    maxOfPeer: 12,
    maxInAll: 40,
  },
  hls: {
    /** How long an answer counts from the moment it was asked for: playlists, segments, and what is no file. */
    playlistMs: 200,
    segmentMs: 30_000,
    failureMs: 200,
    /** Until the media server's headers, and for a whole playlist: viewers get their 502 within 2 s. */
    answerMs: 1800,
    /** Between two parts of a file. */
    idleMs: 5000,
    /** Bytes of all files together. A file of more than a quarter of them is not shared. */
    maxBytes: 64 * 1024 * 1024,
    /** Between two rounds that remove files which are too old. */
    sweepMs: 2000,
  },
  login: {
    /** Failures count for so long. */
    windowMs: 600_000,
    /** After so many of them a client is refused, as that user, until the first is that old. */
    maxFailures: 10,
    /** How long an answer waits after the first failure: doubled with each, up to the longest. */
    firstDelayMs: 250,
    longestDelayMs: 8000,
    /** Tries of one client under way at once, as one user. */
    maxAtOnce: 2,
    /** Clients that are remembered, with ten times as many failures: about 10 MB. */
    maxClients: 10_000,
  },
  /** Of the decision whether a stream may start. */
  admission: {
    /** Between two measurements of what the streams take, and the machine's other programs. */
    roundMs: 15_000,
    /** A stream's start takes more than the stream does: it counts for what it takes so long after its start. */
    settledMs: 60_000,
  },
  /** Of the events that open dashboards listen to. */
  feed: {
    /** Between two looks at what has changed, while somebody listens. */
    roundMs: 1000,
    /** Between two signs of life: proxies and pages (components/client/feedReader.ts) give up what is silent for longer. */
    beatMs: 4000,
    /** A client that takes nothing for so long is given up: its place is another's within 30 s. */
    silentMs: 12_000,
    /** A connection ends after so long, and its client comes again: by then its session may have ended. */
    longestMs: 3_600_000,
    /** Open connections of one address, and in all. */
    maxOfPeer: 50,
    maxInAll: 300,
  },
  webhook: {
    /** Between two looks at the streams' states. */
    roundMs: 5000,
    /** The receiver gets so long for its whole answer. */
    answerMs: 10_000,
    /** What is under way at the service's end may take so much longer. */
    farewellMs: 1000,
    /** Between two tries of a message: doubled each time, up to the longest; together half an hour. */
    firstRetryMs: 5000,
    longestRetryMs: 300_000,
    maxTries: 12,
    /** Messages that wait; the oldest give way. */
    maxWaiting: 100,
    /** A message that is older, of before a restart, is news no more. */
    oldestMs: 3_600_000,
    /** Each return within the calm time makes the next one wait twice as long to be told, up to the longest. */
    calmMs: 3_600_000,
    longestUpMs: 600_000,
  },
  /** Of the sign-in helper: signing in on the streams' pages. */
  signIn: {
    /** Between two looks while something is expected, at least; twice that after a page has loaded. */
    waitMs: 500,
    /** Between two looks while nothing happens: a page may ask again without loading anything. */
    lookMs: 15_000,
    /** After a load a form is looked for so long: slow pages need a while. */
    searchMs: 45_000,
    /** A form that is gone for so long was accepted. */
    goneMs: 1500,
    /** One that is still there after so long was not. */
    verifyMs: 12_000,
    /** A login that was over sooner counts as a try that failed. */
    heldMs: 60_000,
    /** After the first try that failed; four times as long after each further one. */
    pauseMs: 5000,
  },
  /** Open requests and the work on streams may take so long to end at a stop; the supervisor kills us later. */
  stopMs: 4500,
};

export type Timings = typeof TIMINGS;

export const DEFAULT_TIMINGS: Readonly<Timings> = TIMINGS;

type Numbers = { readonly [name: string]: number | Numbers };

/** A schema that takes some of the numbers, and has these for the others. */
function someOf(numbers: Numbers): z.ZodType {
  const fields = Object.entries(numbers).map(([name, value]) => [
    name,
    typeof value === "number" ? z.number().positive().default(value) : someOf(value).prefault({}),
  ]);
  return z.strictObject(Object.fromEntries(fields));
}

/** JSON of some of them; the others have their default. */
export const parseTimings = z.string()
  .transform((text, context) => {
    try {
      return JSON.parse(text || "{}");
    } catch {
      context.addIssue({ code: "custom", message: "not JSON" });
      return z.NEVER;
    }
  })
  .pipe(someOf(TIMINGS) as z.ZodType<Timings>);
