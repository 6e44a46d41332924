import { parseFingerprints } from "../model/certificates.ts";
import type { StreamId } from "../model/id.ts";
import { parseOrigins } from "../model/login_origins.ts";
import { parseStatuses } from "../model/page_sites.ts";
import { wantedHelpers } from "../model/programs.ts";
import type { Stream } from "../model/schema.ts";
import type { StreamStore } from "../store/streams.ts";
import { programName } from "../supervisor/program_files.ts";
import type { ProgramStatus } from "../supervisor/status.ts";
import type { Reconciler } from "./reconciler.ts";

/** A stream that was started and is wanted to run, as those who watch it need it. */
export interface RunningStream
  extends Pick<Stream, "id" | "url" | "name" | "audio" | "whileBroken" | "memoryLimitMb" | "pageSeconds"> {
  /** Milliseconds of the steady clock. */
  startedAt: number;
  display: number;
  /** Origins where the page's login may be. */
  loginOrigins: readonly string[];
  acceptedStatuses: readonly number[];
  sites: readonly string[];
  /** Fingerprints of certificates. */
  accepted: readonly string[];
  /** Whether somebody signs in on the page for it. */
  hasLogin: boolean;
}

export interface RunningStreamsParts {
  store: Pick<StreamStore, "list" | "get">;
  reconciler: Pick<Reconciler, "spec" | "startedAt">;
  programs: Pick<ProgramStatus, "programs">;
  /** Which of the stream's pages is on now. */
  pageNow(stream: Stream): string;
  /** The address that the stream's browser opens for a page. */
  pageAddress(page: Pick<Stream, "id" | "url">): string;
}

export class RunningStreams {
  #parts: RunningStreamsParts;

  constructor(parts: RunningStreamsParts) {
    this.#parts = parts;
  }

  list(): RunningStream[] {
    return this.#parts.store.list().flatMap((stream) => this.#running(stream) ?? []);
  }

  get(id: StreamId): RunningStream | undefined {
    const stream = this.#parts.store.get(id);
    return stream && this.#running(stream);
  }

  /** The browsers that run. */
  async browsers(): Promise<(RunningStream & { pid: number })[]> {
    const programs = await this.#parts.programs.programs();
    return this.list().flatMap((stream) => {
      const browser = programs.get(programName("browser", stream.id));
      return browser?.state === "RUNNING" ? [{ ...stream, pid: browser.pid }] : [];
    });
  }

  #running(stream: Stream): RunningStream | undefined {
    const { id, name, audio, whileBroken, memoryLimitMb, pageSeconds, desiredState } = stream;
    const { pageNow, pageAddress } = this.#parts;
    const spec = desiredState === "running" ? this.#parts.reconciler.spec(id) : undefined;
    return spec && {
      ...{ id, name, audio, whileBroken, memoryLimitMb, pageSeconds },
      // a browser that was started for another page gets no secret address
      url: spec.stream.url === stream.url ? pageAddress({ id, url: pageNow(stream) }) : stream.url,
      startedAt: this.#parts.reconciler.startedAt(id)!,
      display: spec.display,
      loginOrigins: parseOrigins(stream.loginOrigins) ?? [],
      accepted: parseFingerprints(stream.acceptedCertificates) ?? [],
      acceptedStatuses: parseStatuses(stream.acceptedStatuses) ?? [],
      sites: parseOrigins(stream.sites) ?? [],
      hasLogin: wantedHelpers(stream).includes("autologin"),
    };
  }
}
