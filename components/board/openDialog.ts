import type { PublicStream, StreamFields } from "../../lib/model/schema.ts";
import type { PageCertificate } from "../../lib/model/answers/shapes.ts";

/** The dialog that is open over the board, and its subject. */
export type OpenDialog =
  | MoreDialog
  | { kind: "add"; address?: string }
  | { kind: "edit"; stream: PublicStream; field?: keyof StreamFields }
  | { kind: "duplicate" | "recreate"; stream: PublicStream };

/** The dialogs that are fetched when they are opened. */
export type MoreDialog =
  | { kind: "settings" | "playlist" | "backup" }
  | { kind: "share" | "plan"; stream: PublicStream }
  | { kind: "certificate"; stream: PublicStream; certificate: PageCertificate; isOther: boolean };
