/** Reads answers, but for those that go on. */

/** The types of answers that go on. */
const ENDLESS = /^(?:video\/mp2t$|multipart\/x-mixed-replace)/;

/** The bytes of an answer; none of a transport stream or of pictures that go on, which are left at once. */
export async function bytesOf(answer: Response): Promise<Uint8Array<ArrayBuffer>> {
  const { headers } = answer;
  const goesOn = ENDLESS.test(headers.get("content-type") ?? "") && !headers.has("content-length");
  if (!goesOn) return await answer.bytes();
  await answer.body?.cancel();
  return new Uint8Array();
}

export async function textOf(answer: Response): Promise<string> {
  return new TextDecoder().decode(await bytesOf(answer));
}
