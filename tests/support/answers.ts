/** Reads answers, but for those that go on. */

/** The bytes of an answer; none of a channel's transport stream, which is left at once. */
export async function bytesOf(answer: Response): Promise<Uint8Array<ArrayBuffer>> {
  const { headers } = answer;
  const goesOn = headers.get("content-type") === "video/mp2t" && !headers.has("content-length");
  if (!goesOn) return await answer.bytes();
  await answer.body?.cancel();
  return new Uint8Array();
}

export async function textOf(answer: Response): Promise<string> {
  return new TextDecoder().decode(await bytesOf(answer));
}
