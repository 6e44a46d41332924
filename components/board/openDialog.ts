import type { PublicStream, StreamFields } from "../../lib/streams/schema.ts";
import type { PageCertificate } from "../../lib/streams/page_health.ts";
import type { Address } from "./cardLinks.ts";

/** The dialog that is open over the board, and what it is about. */
export type OpenDialog =
  | { kind: "add" | "settings" | "playlist" | "backup" | "logout" }
  | { kind: "edit"; stream: PublicStream; field?: keyof StreamFields }
  | { kind: "duplicate" | "recreate" | "delete"; stream: PublicStream }
  | { kind: "certificate"; stream: PublicStream; certificate: PageCertificate; isOther: boolean }
  | { kind: "address"; address: Address };
