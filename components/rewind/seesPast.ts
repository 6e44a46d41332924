import type { PublicStream } from "../../lib/model/schema.ts";
import { mayDo } from "../client/mayDo.ts";

export type PastStream = Pick<PublicStream, "id" | "name" | "rewindFor">;

/** Whether who looks at the page may see what the stream showed before. */
export function seesPast({ rewindFor }: Pick<PublicStream, "rewindFor">): boolean {
  return rewindFor === "viewers" || mayDo("operator");
}
