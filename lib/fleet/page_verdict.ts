/** What follows from a look at a page, together with what others know of the stream. */
import type { StreamId } from "../model/id.ts";
import type { DiskWatch } from "./disk_watch.ts";
import type { HelperReports } from "../live/page/helper_reports.ts";
import type { PageCovers } from "../live/page/covers.ts";
import type { PageHealth } from "../live/page/health.ts";

export interface PageVerdictParts {
  health: Pick<PageHealth, "report" | "isBad">;
  logins: Pick<HelperReports, "login" | "isLoggedIn">;
  disk: Pick<DiskWatch, "isLow">;
  covers: Pick<PageCovers, "pageIs" | "showsPage">;
}

export class PageVerdict {
  #parts: PageVerdictParts;

  constructor(parts: PageVerdictParts) {
    this.#parts = parts;
  }

  /**
   * Takes over whether the page itself is good: says what else is wrong, and covers the display or uncovers it.
   * @param isGood null while nobody knows, as of a page that is being opened: then all stays as it is on the air.
   */
  pageIs(id: StreamId, isGood: boolean | null): void {
    const { health, logins, disk, covers } = this.#parts;
    const { login, seen = "" } = logins.login(id) ?? {};
    health.report(id, "login-failed", login === "failed" ? seen : null);
    health.report(id, "login-expired", login === "expired" ? seen : null);
    health.report(id, "disk-full", disk.isLow("RUN_DIR") ? "" : null);
    if (isGood !== null) void covers.pageIs(id, isGood && logins.isLoggedIn(id));
  }

  /** Whether a picture of the display is one of the stream's page: seen, good and painted. */
  isShown(id: StreamId): boolean {
    const { health, covers } = this.#parts;
    return covers.showsPage(id) && !health.isBad(id);
  }
}
