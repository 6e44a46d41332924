/**
 * Keeps what one display showed: of each second the last picture, if it differs from the one before. Without an order, and
 * while the order is to hold, it only looks for changes.
 */
import type { Reason } from "../../model/past.ts";
import type { FrameCounts } from "../../display/capture/frame_counts.ts";
import type { Picture, Rows, Size } from "../../display/capture/picture.ts";
import type { PictureWatcher } from "../../display/capture/stream_pictures.ts";
import { isDiskFull } from "../../machine/os/disk.ts";
import type { Semaphore } from "../../machine/tools/concurrency.ts";
import { errorText, logRarely } from "../../machine/tools/log.ts";
import { LastPicture } from "./last_picture.ts";
import type { OpenPiece } from "./open_piece.ts";
import type { Order } from "./order.ts";
import { type Change, NO_CHANGE } from "./piece.ts";
import type { Shelf } from "./shelf.ts";
import { Thinning } from "./thinning.ts";
import type { X264, X264Library } from "./x264.ts";

/** Another piece begins, with a key frame, after so many pictures, which are decoded in 0.2 s, or so many seconds. */
const PIECE_PICTURES = 240;
const PIECE_SECONDS = 600;

/** A page that has not changed for so long has no encoder open, which takes 8 MiB. */
const STILL_SECONDS = 120;

/** Between two notes that nothing has changed, in s: so much is lost with the machine. */
const NOTE_SECONDS = 2;

/** From a failure of a disk or an encoder to the next try, in s. */
const RETRY_SECONDS = 10;

export interface RecorderParts {
  shelf: Shelf;
  encoders: X264Library;
  /** Encodes a picture of one display at a time: live pictures need the processor, too. */
  coding: Semaphore;
  /** Gets when the picture last changed. */
  counts: FrameCounts;
}

/** A part of the picture that is newer than the picture that was kept last. */
interface Pending {
  rows: Rows;
  /** Unix time of the newest part: in s, and in ms. */
  second: number;
  at: number;
  /** Whether its change is noted, and only its picture is still to be kept. */
  isNoted: boolean;
}

export class DisplayRecorder implements PictureWatcher {
  isClosed = false;
  #parts: RecorderParts;
  #order: Order | null = null;
  #picture: Picture | null = null;
  #last: LastPicture | null = null;
  #pending: Pending | null = null;
  #piece: OpenPiece | null = null;
  #encoder: X264 | null = null;
  /** The second from which on a piece may begin; null: the one after the next tick's. */
  #from: number | null = 0;
  #now = 0;
  #changedSecond = 0;
  #thinning = new Thinning();
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** Does as it is told from now on; resolves when nothing more is written of what was before. */
  async order(order: Order | null): Promise<void> {
    const before = this.#order;
    if (before?.id === order?.id && before?.hold === order?.hold) return await this.#work;
    this.#order = order;
    const went = before?.id === order?.id && this.#reason(before) === null;
    // the picture may still be of what was not to be kept, however long the encoder has not asked for another one
    if (!went) this.#from = null;
    const reason = this.#reason(order);
    if (reason !== null || !went) this.#do(() => this.#finish(reason ?? "stopped"));
    await this.#work;
  }

  begin(picture: Picture, now: number): void {
    this.#picture = picture;
    if (this.#last && !isSameSize(this.#last.size, picture.output)) this.#last = null;
    this.#pending = null;
    const isOpen = this.#from === null; // its picture is of now
    this.#timeIs(now);
    this.#from = isOpen ? this.#now : Math.max(this.#now, this.#from!);
    this.changed({ top: 0, bottom: picture.output.height }, now);
  }

  changed({ top, bottom }: Rows, now: number): void {
    const rows = this.#pending?.rows ?? { top, bottom };
    const both = { top: Math.min(top, rows.top), bottom: Math.max(bottom, rows.bottom) };
    this.#pending = { rows: both, second: Math.floor(now / 1000), at: now, isNoted: false };
  }

  tick(now: number): void {
    if (!this.#picture) return;
    this.#timeIs(now);
    if (this.#isBusy) return;
    if (this.#pending && this.#pending.second < this.#now) this.#settle(this.#picture, this.#pending);
    else this.#idle(this.#picture);
  }

  end(): void {
    if (this.#picture && this.#pending && !this.#isBusy) this.#settle(this.#picture, this.#pending);
    this.#picture = null;
    this.#pending = null;
    this.#do(() => this.#finish("stopped"));
  }

  /** Ends for good; resolves when all is written. */
  async close(): Promise<void> {
    this.end();
    this.isClosed = true;
    await this.#work;
    this.#last = null;
  }

  #timeIs(now: number): void {
    const second = Math.floor(now / 1000);
    // a clock that was set back begins anew
    if (second < this.#now || this.#from === null) this.#from = second + 1;
    this.#now = second;
  }

  /** Why nothing is kept; null: it is kept. */
  #reason(order: Order | null): Reason | null {
    if (order === null) return "stopped";
    return order.hold ?? (this.#parts.shelf.hasRoom ? null : "disk");
  }

  #mayBegin(second: number): boolean {
    return this.#from !== null && second >= this.#from;
  }

  /** The second of a change is over. */
  #settle({ planes, output }: Picture, pending: Pending): void {
    const { rows, second } = pending;
    const isFirst = this.#last === null;
    const last = this.#last ??= new LastPicture(output);
    const change = isFirst ? NO_CHANGE : last.compare(planes, rows);
    if (change === null) return void (this.#pending = null);
    if (!pending.isNoted) {
      this.#parts.counts.changedAt = pending.at;
      this.#changedSecond = second;
    }
    const piece = this.#piece;
    const isKept = this.#reason(this.#order) === null && this.#mayBegin(second);
    if (isKept && piece && !this.#thinning.allows(this.#now)) {
      if (!pending.isNoted) this.#do(() => piece.note(second, change));
      pending.isNoted = true;
      return;
    }
    this.#pending = null;
    last.take(planes, rows);
    if (isKept) this.#keep(second, change);
  }

  /** Nothing has changed in the second before. */
  #idle({ planes, output }: Picture): void {
    const [piece, second] = [this.#piece, this.#now - 1];
    const reason = this.#reason(this.#order);
    if (reason !== null) {
      if (piece) this.#do(() => this.#finish(reason));
      return;
    }
    const isDue = !piece || second - piece.name.start >= PIECE_SECONDS;
    if (isDue && !this.#pending && this.#mayBegin(second)) {
      this.#last ??= new LastPicture(output);
      this.#last.take(planes, { top: 0, bottom: output.height });
      return this.#keep(second, NO_CHANGE);
    }
    if (piece && this.#now - piece.end >= NOTE_SECONDS) this.#do(() => piece.until(second + 1));
    if (this.#now - this.#changedSecond > STILL_SECONDS) this.#closeEncoder();
  }

  /** Keeps the last picture as that of a second. */
  #keep(second: number, change: Change): void {
    const order = this.#order!;
    const { size, planes } = this.#last!;
    const { shelf, coding } = this.#parts;
    this.#do(() =>
      coding.run(async () => {
        if (this.#order !== order) return;
        let piece = this.#piece;
        const isNew = !piece || !this.#encoder || !isSameSize(this.#encoder.size, size) ||
          piece.pictures >= PIECE_PICTURES || second - piece.name.start >= PIECE_SECONDS;
        if (isNew) {
          await piece?.until(second);
          await this.#closePiece();
          const encoder = this.#openEncoder(size);
          piece = this.#piece = await shelf.begin(order.id, second, size, encoder.parameterSets());
        }
        const coded = await this.#encoder!.encode(planes, isNew);
        // a clock may go back a little
        await piece!.add(Math.max(second, piece!.nextAt), coded, change);
        this.#thinning.took(coded.length);
      })
    );
  }

  /** Ends the piece. */
  async #finish(reason: Reason): Promise<void> {
    this.#closeEncoder();
    if (!this.#piece) return;
    try {
      await this.#piece.finish(reason);
    } finally {
      await this.#closePiece();
    }
  }

  async #closePiece(): Promise<void> {
    const piece = this.#piece;
    this.#piece = null;
    if (piece) await this.#parts.shelf.close(piece);
  }

  #openEncoder(size: Size): X264 {
    if (this.#encoder && !isSameSize(this.#encoder.size, size)) this.#closeEncoder();
    return this.#encoder ??= this.#parts.encoders.open(size);
  }

  #closeEncoder(): void {
    this.#encoder?.[Symbol.dispose]();
    this.#encoder = null;
  }

  /** Does one thing after the other. After a failure the piece is over: its two files may not fit each other. */
  #do(work: () => Promise<void>): void {
    this.#isBusy = true;
    const done = this.#work = this.#work.then(work).catch(async (error) => {
      logRarely("warn", "a channel's past is not recorded", {
        stream: this.#order?.id,
        error: errorText(error),
      });
      if (isDiskFull(error)) this.#parts.shelf.isFull();
      this.#closeEncoder();
      await this.#closePiece();
      this.#from = this.#now + RETRY_SECONDS;
    }).then(() => {
      if (this.#work === done) this.#isBusy = false;
    });
  }
}

function isSameSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height;
}
