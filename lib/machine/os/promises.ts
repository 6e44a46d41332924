/**
 * The promises of `up`'s start about the surroundings of every program, in a file of root's: a program that finds one broken
 * does not start. The start has said what it could not promise.
 */
import { createHash } from "node:crypto";
import { readOrNull, writeFileAtomic } from "./files.ts";

export interface Promises {
  /** The kernel has rules for the user of each stream. */
  packetFilter: boolean;
  /** The kernel limits the memory of each stream. */
  memoryLimits: boolean;
  /** Each stream has shared memory of its own. */
  ownSharedMemory: boolean;
  /** Chromium's policies; null: somebody else installs them, or nobody. */
  policies: PromisedPolicies | null;
}

/** Policies that are in one of these files. */
export interface PromisedPolicies {
  files: string[];
  /** SHA-256 of the text, in hexadecimal. */
  digest: string;
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export async function writePromises(path: string, promises: Promises): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(promises));
}

/** @throws {Error} when they cannot be read: then nothing may start. */
export async function readPromises(path: string): Promise<Promises> {
  const text = await readOrNull(path);
  if (text === null) throw new Error(`${path} is missing: it says what the start has promised`);
  const { packetFilter, memoryLimits, ownSharedMemory, policies } = JSON.parse(text);
  const isWhole = [packetFilter, memoryLimits, ownSharedMemory].every((one) => typeof one === "boolean") &&
    policies !== undefined;
  if (!isWhole) throw new Error(`${path} does not say what the start has promised`);
  return { packetFilter, memoryLimits, ownSharedMemory, policies };
}

/** Whether the promised policies are there, in one of the files. */
export async function arePoliciesThere({ files, digest }: PromisedPolicies): Promise<boolean> {
  for (const file of files) {
    const text = await readOrNull(file);
    if (text !== null && digestOf(text) === digest) return true;
  }
  return false;
}
