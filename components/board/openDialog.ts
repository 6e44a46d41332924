import type { PublicStream } from "../../lib/streams/schema.ts";
import type { Address } from "./cardLinks.ts";

/** The dialog that is open over the board, and what it is about. */
export type OpenDialog =
  | { kind: "add" | "settings" | "playlist" | "backup" | "logout" }
  | { kind: "edit" | "duplicate" | "recreate" | "delete"; stream: PublicStream }
  | { kind: "address"; address: Address };
