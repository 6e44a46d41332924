/** H.264 and AAC as RTMP carries them. Source: Adobe's Video File Format 10.1, annex E; ISO/IEC 14496-15, 5.2.4. Pure. */

/** What decoders of the pictures need first. */
export interface VideoSettings {
  /** The sets of parameters, each a NAL unit. */
  parameterSets: Uint8Array[];
  /** Bytes of the length before each NAL unit. */
  lengthBytes: number;
}

/** What decoders of the sound need first. Source: ISO/IEC 14496-3, 1.6.2.1. */
export interface AudioSettings {
  objectType: number;
  frequencyIndex: number;
  channels: number;
}

export type VideoPart =
  | { kind: "settings"; settings: VideoSettings }
  /** `delayMs`: how much later than it is decoded the picture is shown. */
  | { kind: "picture"; isKey: boolean; delayMs: number; units: Uint8Array };

export type AudioPart = { kind: "settings"; settings: AudioSettings } | { kind: "frame"; frame: Uint8Array };

/** A message of video; null for one of no use here. @throws {Error} when it is no H.264. */
export function videoPart(payload: Uint8Array): VideoPart | null {
  const AVC = 7;
  const KEY = 1;
  if (payload.length < 5) return null;
  const [first, packet] = payload;
  if ((first & 0x0f) !== AVC) throw new Error("the video is no H.264");
  const body = payload.subarray(5);
  if (packet === 0) return { kind: "settings", settings: videoSettings(body) };
  if (packet !== 1) return null;
  const delayMs = new DataView(payload.buffer, payload.byteOffset).getInt32(1) << 8 >> 8;
  return { kind: "picture", isKey: first >> 4 === KEY, delayMs, units: body };
}

/** A message of sound; null for one of no use here. @throws {Error} when it is no AAC. */
export function audioPart(payload: Uint8Array): AudioPart | null {
  const AAC = 10;
  if (payload.length < 2) return null;
  if (payload[0] >> 4 !== AAC) throw new Error("the sound is no AAC");
  const body = payload.subarray(2);
  if (payload[1] !== 0) return body.length === 0 ? null : { kind: "frame", frame: body };
  if (body.length < 2) throw new Error("the sound has no settings");
  const [a, b] = body;
  return {
    kind: "settings",
    settings: { objectType: a >> 3, frequencyIndex: (a & 7) << 1 | b >> 7, channels: b >> 3 & 0x0f },
  };
}

/** An AVCDecoderConfigurationRecord. */
function videoSettings(record: Uint8Array): VideoSettings {
  const parameterSets: Uint8Array[] = [];
  let at = 5;
  for (const mask of [0x1f, 0xff]) {
    const count = (record[at++] ?? 0) & mask;
    for (let index = 0; index < count; index++) {
      const length = record[at] << 8 | record[at + 1];
      const set = record.slice(at + 2, at + 2 + length);
      if (set.length !== length || length === 0) throw new Error("the video's settings are cut off");
      parameterSets.push(set);
      at += 2 + length;
    }
  }
  if (parameterSets.length < 2) throw new Error("the video has no settings");
  return { parameterSets, lengthBytes: (record[4] & 3) + 1 };
}

/** The NAL units of a picture. @throws {Error} when a length leads out of it. */
export function nalUnits(units: Uint8Array, lengthBytes: number): Uint8Array[] {
  const all: Uint8Array[] = [];
  for (let at = 0; at < units.length;) {
    let length = 0;
    for (let byte = 0; byte < lengthBytes; byte++) length = length * 256 + (units[at + byte] ?? 0);
    at += lengthBytes;
    if (at + length > units.length) throw new Error("a picture is cut off");
    if (length > 0) all.push(units.subarray(at, at + length));
    at += length;
  }
  return all;
}
