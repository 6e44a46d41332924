/** The operations on streams: a request is stored, then the live stream carries it out. */
import { parsePushTarget } from "../machine/net/push_target.ts";
import { ownProxyAddress } from "../reach/way_out.ts";
import { badInput, noSuchStream, ServiceError } from "../errors.ts";
import { planningImport } from "../model/backup.ts";
import { takenApart } from "../model/entered/address_logins.ts";
import { changedFields, changedStream, NO_SETTING, streamFromBody } from "../model/change.ts";
import { labelOf } from "../model/fields.ts";
import { completeAddress } from "../model/web_address.ts";
import { type StreamId, streamId } from "../model/id.ts";
import { reordered } from "../model/order.ts";
import { urlProblem } from "../model/page_address.ts";
import { type PublicStream, publicStream, type Stream } from "../model/schema.ts";
import { shownStream } from "../model/shown_stream.ts";
import type { Role } from "../role.ts";
import type { OverrideTime } from "../model/plan/stop_until.ts";
import { otherAddresses } from "../model/plan/timetable.ts";
import { Gathering, Semaphore, WorkQueue } from "../machine/tools/concurrency.ts";
import { inTurns } from "../machine/tools/turns.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { VncTokens } from "../takeover/tokens.ts";
import type { OwnExtensions } from "./extensions.ts";
import { type Admission, isAlwaysToRun, noRoomReason } from "./admission.ts";
import type { Ground } from "../live/ground.ts";
import type { Fleet } from "./fleet.ts";
import type { StreamWork } from "../live/work.ts";
import type { ImportSummary } from "../model/answers/shapes.ts";

/** Streams that stop side by side when several are deleted; all stopped streams are deleted side by side. */
const STOPS = 3;

type Client = Parameters<StreamWork["start"]>[0];

export interface OperationsParts {
  ground: Pick<Ground, "store" | "addEvent" | "around" | "config">;
  fleet: Pick<Fleet, "get" | "find" | "list" | "remove" | "isLeaving">;
  admission: Pick<Admission, "admit" | "arrived" | "admitList">;
  tokens: VncTokens;
  extensions: Pick<OwnExtensions, "refuseUnknown">;
  /** Removes other parts' data of a stream in removal, which is still stored. */
  removing(id: StreamId): Promise<void>;
  /** Removes other parts' data of a stream that is no longer saved. */
  removed(id: StreamId): Promise<void>;
}

/** The options of a change. */
export interface ChangeOptions {
  /** Whether streams start although the machine can probably not carry them. */
  isForced?: boolean;
  /** Whether a stream for which there is no room stays stopped without an error, and starts when there is room. */
  isPatient?: boolean;
  /** How long a start has a planned stream on the air, whatever its plan has; null: as the plan has it. */
  time?: OverrideTime | null;
}

/** The answer to a start. */
interface Asked {
  /** The text for the events after a start on request. */
  note: string | null;
  /** Why the stream waits for room; null: it starts. */
  noRoom: string | null;
}

export class Operations implements Part {
  #parts: OperationsParts;
  /** Takes streams off the list, which is written as a whole each time. */
  #unlisting: Gathering<StreamId>;
  #stops = new Semaphore(STOPS);
  #syncing = new WorkQueue();
  #loop = new Loop("streams that wait for room not started", "debug");

  constructor(parts: OperationsParts) {
    this.#parts = parts;
    this.#unlisting = new Gathering((ids) => {
      const gone = new Set(ids);
      return parts.ground.store.change((streams) => streams.filter(({ id }) => !gone.has(id)));
    });
  }

  start(): void {
    this.#loop.start(this.#parts.ground.config.TIMINGS.admission.roundMs, () => this.startWaiting());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Starts the first stream in card order that waits for room and finds it: the next one is judged with it. */
  async startWaiting(): Promise<void> {
    for (const { id, work } of this.#parts.fleet.list()) {
      if (work.noRoom === null) continue;
      await this.startStream(id, undefined, { isPatient: true });
      if (work.noRoom !== null) continue;
      this.#parts.ground.addEvent(id, "stream", "Started because there is room now.");
      return;
    }
  }

  /** All streams in card order, as a role sees them; "viewer": as anybody may. */
  list(role: Role): PublicStream[] {
    return this.#parts.fleet.list().flatMap((live) => live.shown(role) ?? []);
  }

  /** A text that differs after each change of the list, and after each start. */
  version(): string {
    return this.#parts.ground.store.version;
  }

  /** A stream as a role sees it; "viewer": as anybody may. @throws {ServiceError} 404. */
  get(id: string, role: Role): PublicStream {
    return shownStream(publicStream(this.#known(streamId(id))), role);
  }

  /** Adds a stream and starts it unless asked not to. @throws {ServiceError} 400; 409 when it must not start. */
  async create(body: unknown, options: ChangeOptions = {}): Promise<PublicStream> {
    const { ground: { store }, fleet, admission } = this.#parts;
    await this.#refusePlace(body);
    await this.#parts.extensions.refuseUnknown(body);
    let stream!: Stream;
    let asked: Asked = { note: null, noRoom: null };
    await store.change(async (streams) => {
      stream = streamFromBody(body, streams);
      if (stream.desiredState === "running") asked = await this.#ask(stream, options);
      if (asked.noRoom !== null) stream = { ...stream, desiredState: "stopped" };
      return [...streams, stream];
    }).finally(() => stream && admission.arrived(stream.id));
    log("info", "stream created", { stream: stream.id });
    this.#parts.ground.addEvent(stream.id, "stream", "Created.");
    this.#tell(stream.id, asked.note);
    if (asked.noRoom !== null) this.#wait(stream.id, asked.noRoom);
    await fleet.get(stream.id).work.apply(() => this.syncTokens());
    return this.get(stream.id, "operator");
  }

  /**
   * Changes a stream; only the programs that need it restart.
   * @param keep whether absent fields stay. @throws {ServiceError} 400, 404, 409.
   */
  async update(
    id: string,
    body: unknown,
    keep: boolean,
    { isForced = false }: ChangeOptions = {},
  ): Promise<PublicStream> {
    const { ground: { store, addEvent }, fleet, admission } = this.#parts;
    const known = streamId(id);
    await this.#refusePlace(body);
    await this.#parts.extensions.refuseUnknown(body, store.get(known));
    await fleet.get(known).work.apply(async () => {
      let fields: string[] = [];
      let note: string | null = null;
      let isAdmitted = false;
      await store.change(async (streams) => {
        const before = streams.find((stream) => stream.id === known);
        if (!before) throw noSuchStream(known);
        const after = changedStream(before, body, keep, streams);
        if (isAlwaysToRun(after) && !isAlwaysToRun(before)) {
          note = await admission.admit(after, isForced);
          isAdmitted = true;
        }
        fields = changedFields(before, after);
        return after === before ? streams : streams.map((stream) => stream.id === known ? after : stream);
      }).finally(() => isAdmitted && admission.arrived(known));
      this.#tell(known, note);
      const text = settingsText(fields);
      if (text) addEvent(known, "stream", text);
    });
    return this.get(known, "operator");
  }

  /** Starts the programs that are down. @throws {ServiceError} 404; 409 when it must not start. */
  async startStream(id: string, client?: Client, options: ChangeOptions = {}): Promise<void> {
    const { time = null } = options;
    const override = time === null ? undefined : { onAir: true, until: this.#untilOf(id, time) };
    await this.#admitted(id, options, () => this.#parts.fleet.get(streamId(id)).work.start(client, override));
    if (override && this.#parts.fleet.get(streamId(id)).work.noRoom === null) {
      this.#parts.ground.addEvent(streamId(id), "stream", onAirText(time));
    }
  }

  /** @param time "next": only until the plan's next time; null: until somebody starts it. @throws {ServiceError} 400, 404. */
  async stopStream(id: string, time: OverrideTime | null = null): Promise<void> {
    const override = time === null ? undefined : { onAir: false, until: this.#untilOf(id, time) };
    await this.#parts.fleet.get(streamId(id)).work.stop(override);
  }

  /** Stops and starts a stream. @throws {ServiceError} 404; 409 when it was stopped and must not start. */
  async restart(id: string, client?: Client, options?: ChangeOptions): Promise<void> {
    await this.#admitted(id, options, () => this.#parts.fleet.get(streamId(id)).work.restart(client));
  }

  /** Stops a stream and removes all its data. @throws {ServiceError} 404. */
  async remove(id: string): Promise<void> {
    const { fleet, removing, removed } = this.#parts;
    const known = streamId(id);
    await fleet.remove(known, async () => {
      await removing(known);
      await this.#unlisting.run(known);
      await removed(known);
      await this.syncTokens();
    });
  }

  /**
   * Deletes several streams side by side. The list is written once for all streams that have got so far.
   * @param done takes the answer for each, and the error of a stream that is still there.
   */
  async removeMany(ids: readonly StreamId[], done: (id: StreamId, error: unknown) => void): Promise<void> {
    const remove = (id: StreamId) => {
      const isRunning = this.#parts.fleet.find(id)?.isRunning ?? false;
      return isRunning ? this.#stops.run(() => this.remove(id)) : this.remove(id);
    };
    await Promise.all([...new Set(ids)].map((id) =>
      remove(id).then(
        () => done(id, null),
        // somebody else was faster
        (error) => done(id, this.#parts.ground.store.get(id) ? error : null),
      )
    ));
  }

  /** Sets and returns the order of the cards. @throws {ServiceError} 400, 409 with the current order. */
  async reorder(body: unknown): Promise<string[]> {
    let ids: string[] = [];
    await this.#parts.ground.store.change((streams) => {
      const next = reordered(streams, body);
      ids = next.map(({ id }) => id);
      return next;
    });
    return ids;
  }

  /** The changes that an import would make. @throws {ServiceError} 400. */
  async previewImport(content: unknown): Promise<ImportSummary> {
    return (await inTurns(planningImport(content, this.#parts.ground.store.list()))).summary;
  }

  /** Takes over a list of streams at once; their programs follow in the background. @throws {ServiceError} 400, 409. */
  async import(content: unknown, { isForced = false }: ChangeOptions = {}): Promise<ImportSummary> {
    const { ground: { store, addEvent }, fleet, admission } = this.#parts;
    let summary!: ImportSummary;
    let notes = new Map<StreamId, string | null>();
    await store.change(async (streams) => {
      const plan = await inTurns(planningImport(content, streams));
      summary = plan.summary;
      this.#refuseLeaving([...summary.changed.map(({ id }) => id), ...summary.unchanged]);
      notes = await admission.admitList(streams, plan.streams, isForced);
      return plan.streams;
    }).finally(() => [...notes.keys()].forEach((id) => admission.arrived(id)));
    const { added, changed } = summary;
    log("info", "streams imported", { added: added.length, changed: changed.length });
    for (const { id } of added) addEvent(id, "stream", "Created by an import.");
    for (const { id, fields } of changed) {
      addEvent(id, "stream", `Import: ${settingsText(fields) ?? "moved."}`);
    }
    for (const [id, note] of notes) this.#tell(id, note);
    if (added.length > 0) await this.syncTokens();
    for (const { id } of [...added, ...changed]) void fleet.find(id)?.work.retryInBackground();
    return summary;
  }

  /** Brings the VNC tokens to the list. While they are being written, further calls are answered by one more writing. */
  async syncTokens(): Promise<void> {
    await this.#syncing.run(() => this.#parts.tokens.sync(), { kind: "sync" })
      .catch((error) => log("error", "VNC tokens not written", { error: errorText(error) }));
  }

  /** The end of an override that begins now, Unix ms. @throws {ServiceError} 400 where the plan has no such time; 404. */
  #untilOf(id: string, time: OverrideTime): number {
    const stream = this.#known(streamId(id));
    const field = time === "next" ? "until" : "minutes";
    if (stream.plan === "") {
      throw badInput({ [field]: `The stream has no plan to go back to. Leave out ${field}.` });
    }
    const until = this.#parts.fleet.get(stream.id).plan.endOf(stream, time);
    if (until === null) throw badInput({ until: "The stream's plan has no other time. Leave out until." });
    return until;
  }

  /** Starts a stopped stream if it is admitted; a stream that is to run was admitted before. */
  async #admitted(id: string, options: ChangeOptions = {}, start: () => Promise<void>): Promise<void> {
    const stream = this.#known(streamId(id));
    if (stream.desiredState === "running") {
      const live = this.#parts.fleet.get(stream.id);
      if (options.isForced && live.demand.noRoom !== null) live.watched(true);
      return await start();
    }
    const { note, noRoom } = await this.#ask(stream, options);
    if (noRoom !== null) return this.#wait(stream.id, noRoom);
    this.#tell(stream.id, note);
    await start().finally(() => this.#parts.admission.arrived(stream.id));
  }

  /** Asks for room for a stopped stream. @throws {ServiceError} 409 without room, unless the stream is patient. */
  async #ask(stream: Stream, { isForced = false, isPatient = false }: ChangeOptions): Promise<Asked> {
    try {
      return { note: await this.#parts.admission.admit(stream, isForced), noRoom: null };
    } catch (error) {
      const noRoom = isPatient ? noRoomReason(error) : null;
      if (noRoom === null) throw error;
      return { note: null, noRoom };
    }
  }

  /** Lets a stopped stream wait for room. */
  #wait(id: StreamId, noRoom: string): void {
    const { work } = this.#parts.fleet.get(id);
    if (work.noRoom === null) {
      this.#tell(id, `The stream waits for room: ${noRoom}. It starts by itself when there is room.`);
    }
    work.noRoom = noRoom;
  }

  #tell(id: StreamId, note: string | null): void {
    if (note !== null) this.#parts.ground.addEvent(id, "stream", note, "warn");
  }

  /** @throws {ServiceError} 409 when one of the streams is being removed. */
  #refuseLeaving(ids: StreamId[]): void {
    const leaving = ids.filter((id) => this.#parts.fleet.isLeaving(id)).sort().map((id) => `"${id}"`);
    if (leaving.length === 0) return;
    const what = `Nothing was imported, because these are being deleted: ${leaving.join(", ")}.`;
    throw new ServiceError(409, `${what} Try again in a moment.`);
  }

  /** @throws {ServiceError} 400 when the body has an address of a place that pages must not be on. */
  async #refusePlace(body: unknown): Promise<void> {
    const { fields } = takenApart(Object(body)); // a message repeats no login
    for (const field of ["url", "morePages", "plan", "proxy", "pushTo"]) {
      const typed = fields[field];
      if (typeof typed !== "string") continue;
      for (const url of addressesIn(field, typed)) {
        const problem = await this.#parts.ground.around.placeProblem(url);
        if (problem !== null) throw badInput({ [field]: field === "url" ? problem : `${url}: ${problem}` });
      }
    }
  }

  #known(id: StreamId): Stream {
    const stream = this.#parts.ground.store.get(id);
    if (!stream) throw noSuchStream(id);
    return stream;
  }
}

/** "On the air for 60 min, on request." for the stream's events. */
function onAirText(time: OverrideTime | null): string {
  return `On the air ${time === "next" ? "until its plan's next time" : `for ${time} min`}, on request.`;
}

/** The addresses in a field; none where the schema refuses the field with a better reason. */
function addressesIn(field: string, typed: string): string[] {
  if (field === "url") {
    const url = completeAddress(typed.trim());
    return urlProblem(url) === null ? [url] : [];
  }
  if (field === "proxy") {
    const address = ownProxyAddress(typed);
    return address === null ? [] : [address];
  }
  if (field === "pushTo") {
    const target = parsePushTarget(typed.trim());
    return target && !target.isListener ? [`http://${target.host}/`] : [];
  }
  try {
    const urls = otherAddresses({ morePages: "", plan: "", [field]: typed });
    return urls.filter((url) => urlProblem(url) === null);
  } catch {
    return [];
  }
}

/** "Settings changed: Name, Bit rate." for the stream's events; null: no field is a setting. */
function settingsText(fields: readonly string[]): string | null {
  const settings = fields.filter((field) => !NO_SETTING.includes(field));
  if (settings.length === 0) return null;
  return `Settings changed: ${settings.map(labelOf).join("; ")}.`;
}
