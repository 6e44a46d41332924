/** One stream with all its parts. The parts have the rules; the class only puts the parts together. */
import { join } from "node:path";
import { noSuchStream, ServiceError } from "../errors.ts";
import type { EventKind, EventLevel } from "../model/answers/events.ts";
import type { StreamId } from "../model/id.ts";
import { pushSocket } from "../paths.ts";
import { wantedHelpers } from "../model/programs.ts";
import { type PublicStream, publicStream, type Stream } from "../model/schema.ts";
import { shownStream } from "../model/shown_stream.ts";
import type { Role } from "../role.ts";
import type { EncoderProcess } from "./programs/commands/encoder.ts";
import type { Program } from "../machine/supervisor/status.ts";
import { Channel } from "../channel/channel.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { Demand, type Room } from "./demand.ts";
import type { Ground } from "./ground.ts";
import type { KeptStream } from "./kept_stream.ts";
import { PageKeeper } from "./page/keeper.ts";
import { LoginReports } from "../signin/reports.ts";
import { PlanClock } from "./plan_clock.ts";
import { ProgramKeeper } from "./programs/keeper.ts";
import type { StartedSpec } from "./programs/pipeline.ts";
import { StateTime } from "./state_time.ts";
import { statusOf } from "./status.ts";
import { Still } from "./picture/still.ts";
import { LastChange } from "./picture/last_change.ts";
import { PushLink } from "./push_link.ts";
import { type RecordedStream, Recording } from "./recording.ts";
import { Thumbnail } from "./picture/thumbnail.ts";
import { StreamWork } from "./work.ts";
import type { VncStream } from "../takeover/tokens.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";

export class LiveStream implements KeptStream, RecordedStream, VncStream {
  readonly id: StreamId;
  /** The clock of the weekly plan. */
  readonly plan: PlanClock;
  /** The demand of the viewers. */
  readonly demand: Demand;
  readonly stateTime: StateTime;
  /** Starts, stops and changes the stream. */
  readonly work: StreamWork;
  readonly programs: ProgramKeeper;
  /** The stream as viewers get it. */
  readonly channel: Channel;
  readonly thumbnail: Thumbnail;
  readonly still: Still;
  /** When the picture that viewers see last changed. */
  readonly lastChange: LastChange;
  readonly push: PushLink;
  readonly recording: Recording;
  readonly logins: LoginReports;
  /** Whether the stream is being removed. */
  isLeaving = false;
  vncToken: string | null = null;
  #ground: Ground;
  #shown: { stream: Stream; as: Partial<Record<Role, PublicStream>> } | null = null;
  #page: PageKeeper | null = null;
  #closing: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #reading: Promise<void> | null = null;
  #readAt = 0;

  /** @param places says whether one more stream may run. */
  constructor(id: StreamId, ground: Ground, places: Room) {
    const { machine, supervision, paths, config: { TIMINGS: limits } } = ground;
    const { now, elapsed } = machine;
    this.id = id;
    this.#ground = ground;
    this.plan = new PlanClock(ground.timeZone, machine);
    this.channel = new Channel(this, ground.channels);
    this.stateTime = new StateTime({ limits, now });
    this.demand = new Demand(this, places, elapsed);
    this.work = new StreamWork(this, ground);
    this.programs = new ProgramKeeper(this, ground);
    this.thumbnail = new Thumbnail({
      live: this,
      streamsDir: paths.streamsDir,
      captures: supervision.captures,
      isShown: () => this.page?.isShown ?? false,
      capture: ({ stream: { resolution } }, signal) =>
        machine.broker.capture(id, resolution, "thumbnail", signal),
      limits,
      now,
      elapsed,
    });
    this.still = new Still({
      live: this,
      capture: (resolution, kind, signal) => machine.broker.capture(id, resolution, kind, signal),
      captures: supervision.captures,
      now,
      elapsed,
    });
    this.lastChange = new LastChange({
      live: this,
      isGrabbing: () => this.programs.isGrabbing,
      limits,
      now,
      elapsed,
    });
    this.push = new PushLink({
      path: pushSocket(paths, id),
      channel: this.channel,
      tell: (text, level) => this.tell("program", text, level),
    });
    this.recording = new Recording(this, machine.recordings);
    this.logins = new LoginReports({
      path: join(paths.logsDir, id, "autologin.log"),
      tell: (kind, text, level) => this.tell(kind, text, level),
      now,
      newsSince: elapsed(),
    });
  }

  /** The stream as it is stored; undefined: it was removed. */
  get stream(): Stream | undefined {
    return this.#ground.store.get(this.id);
  }

  /**
   * The stream as a role sees it; undefined: it was removed. It is made once, since clients ask for a list of a thousand
   * again and again.
   */
  shown(role: Role): PublicStream | undefined {
    const { stream } = this;
    if (!stream) return undefined;
    if (this.#shown?.stream !== stream) this.#shown = { stream, as: {} };
    return this.#shown.as[role] ??= Object.freeze(shownStream(publicStream(stream), role));
  }

  get spec(): StartedSpec | null {
    return this.work.spec;
  }

  get isBusy(): boolean {
    return this.work.isBusy;
  }

  get viewers(): number {
    return this.#ground.around.bridges.viewers(this.id);
  }

  /** Whether the stream was started, and is wanted to run. */
  get isRunning(): boolean {
    return this.spec !== null && this.#isToRunHere;
  }

  /** The display that the recorder films; null: it does not run, or ffmpeg grabs its display. */
  get display(): number | null {
    return this.isRunning && this.#ground.config.CAPTURE === "auto" ? this.spec!.display : null;
  }

  /** Whether its past is to be kept. */
  get isRecorded(): boolean {
    return this.#ground.config.REWIND_GB !== 0 && this.stream?.rewind === true;
  }

  /** Whether viewers see a cover in place of the page. */
  get isCovered(): boolean {
    return this.#page?.isCovered ?? false;
  }

  /** Whether the channel is on the air, or would be as soon as somebody watches. */
  get isOnAir(): boolean {
    const { stream } = this;
    return this.#isToRunHere && !this.plan.isOff(stream!);
  }

  /** Whether it runs only while somebody watches, and waits for that. */
  get isWaiting(): boolean {
    const { stream } = this;
    return stream !== undefined && this.demand.isWaiting(stream);
  }

  /** Whether the stream is another machine's. */
  get isElsewhere(): boolean {
    return !this.#ground.placement.isMine(this.id);
  }

  get #isToRunHere(): boolean {
    return this.stream?.desiredState === "running" && !this.isElsewhere;
  }

  /** Keeps the page, for one start of the stream; null: it does not run. */
  get page(): PageKeeper | null {
    return this.#page;
  }

  tell(kind: EventKind, text: string, level?: EventLevel): void {
    this.#ground.addEvent(this.id, kind, text, level);
  }

  /** Once a second: each part does its due work, without waiting for the work's end. */
  tick(): void {
    const { stream, page } = this;
    this.still.tick();
    this.channel.tick();
    this.recording.tick();
    if (!stream) return;
    if (this.demand.tick(stream, this.viewers)) this.#followViewers();
    if (this.demand.retry(stream)) this.#startForViewers();
    // a stop that has failed: another machine has the stream
    const isLeft = this.spec !== null && !this.isBusy && this.isElsewhere;
    if (isLeft) void this.work.retry().catch(() => {});
    const change = this.plan.tick(stream);
    if (change === "on") this.tell("stream", "On the air, by its plan.");
    if (change !== null) void this.work.retryInBackground();
    if (stream.desiredState === "stopped") this.programs.rest();
    else page?.tick(stream);
    this.push.tick(stream, this.isRunning);
    this.#readLogins(stream);
  }

  /**
   * Somebody asks for the stream's channel, or for its browser: a stream that waits for viewers is started.
   * @param isForced whether it is although there is no room.
   */
  watched(isForced = false): void {
    const { stream } = this;
    if (stream && this.demand.watched(stream, isForced)) this.#startForViewers();
  }

  /**
   * Brings the page back now and closes all other windows.
   * @throws {ServiceError} 404, 409 when the stream does not run, 503 when its browser does not answer.
   */
  async home(): Promise<void> {
    const { stream, page, id } = this;
    if (!stream) throw noSuchStream(id);
    if (!page || stream.desiredState === "stopped") {
      throw new ServiceError(409, `Stream "${id}" does not run: start it to see its page.`);
    }
    await page.home(stream);
  }

  /** Takes a look at the encoder's process. */
  sawEncoder(encoder: Program, process: EncoderProcess, capture: Program | undefined): void {
    const found = this.programs.sawEncoder(encoder, process, capture);
    const { page, stream } = this;
    if (!found || !page || !stream) return;
    page.health.report("no-sound", stream.audio && found.isSilent ? "" : null);
    if (found.isSlow !== undefined) page.health.report("encoder-slow", found.isSlow ? "" : null);
  }

  /** The stream's state. @param programs all that supervisord knows. @throws {ServiceError} 404. */
  status(programs: ReadonlyMap<string, Program>): StreamStatus {
    const { stream, work, spec, page, id } = this;
    if (!stream) throw noSuchStream(id);
    const { machine, config } = this.#ground;
    const playlistAgeMs = stream.desiredState === "running" ? this.channel.ageMs : null;
    const seen = {
      programs,
      playlistAgeMs,
      startedAt: spec?.steadyStart ?? null,
      problem: work.problem,
      noRoom: work.noRoom ?? this.demand.noRoom,
      isWaiting: this.demand.isWaiting(stream),
      returnsAt: this.plan.returnsAt(stream),
      changesAt: this.plan.changesAt(stream),
      nextTimeAt: this.plan.nextTimeAt(stream),
      nextPage: page?.nextPage(stream),
      gaveUp: this.programs.gaveUp,
      recreation: work.recreation,
      health: page?.health ?? null,
      thumbAt: this.thumbnail.capturedAt,
      lastChangeAt: this.lastChange.at,
      now: machine.elapsed(),
    };
    const status = statusOf(stream, seen, config.TIMINGS);
    const since = this.stateTime.of(status, playlistAgeMs);
    return since === undefined ? status : { ...status, since };
  }

  /** Ends all that is kept open for the stream; resolves when the work under way has ended. The programs go on. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#closePage();
    await Promise.all([
      this.work.settled(),
      this.thumbnail.stop(),
      this.still.stop(),
      this.push.stop(),
      this.channel.stop(),
      this.#reading,
      this.#closing,
    ]);
  }

  /** Each start of the programs has a page's keeper of its own. @param spec their settings; null: they are stopped. */
  started(spec: StartedSpec | null): void {
    if (this.#isOver || this.#page?.startedAt === spec?.steadyStart) return;
    // also of a stream that was removed, which no tick comes to: its display may be another's next
    this.recording.tick();
    this.#closePage();
    this.#page = spec && new PageKeeper(this, this.#ground, spec);
  }

  #closePage(): void {
    if (this.#page) this.#closing = Promise.all([this.#closing, this.#page.close()]);
    this.#page = null;
  }

  #startForViewers(): void {
    this.tell("stream", "Started because somebody watches.");
    this.#followViewers();
  }

  #followViewers(): void {
    this.work.retry().catch((error) =>
      log("error", "stream not brought to its viewers", { stream: this.id, error: errorText(error) })
    );
  }

  #readLogins(stream: Stream): void {
    const { elapsed } = this.#ground.machine;
    const { spec } = this;
    const isWanted = stream.desiredState === "running" && wantedHelpers(stream).includes("autologin");
    if (!isWanted) return this.logins.forget();
    if (!spec || this.#reading || elapsed() < this.#readAt) return;
    this.#readAt = elapsed() + this.#ground.config.TIMINGS.helperReportMs;
    this.#reading = this.logins.next(spec.steadyStart)
      .then((become) => {
        if (become === "out") void this.page?.pageIs(false);
        if (become === "in") this.page?.signedIn();
      })
      .catch((error) => log("debug", "reports not read", { stream: this.id, error: errorText(error) }))
      .finally(() => this.#reading = null);
  }
}
