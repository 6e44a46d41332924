/** The access of people, of apps that play, and of the browsers of walls. */
import { AccessTokens } from "../door/access/access_tokens.ts";
import { Login } from "../door/access/login.ts";
import { MetricsToken, readMetricsToken } from "../door/access/metrics_token.ts";
import { createTokenGate, tokensOfApps, tokensOfWalls } from "../door/access/token_gate.ts";
import { WallTokens } from "../door/access/wall_tokens.ts";
import type { Ground } from "../live/ground.ts";
import type { DiskReserve } from "../machine/os/disk.ts";
import { Walls } from "../store/walls.ts";

/** What is there before any part is. */
export type Base = Pick<Ground, "config" | "paths" | "store" | "machine" | "placement">;

export type Access = Awaited<ReturnType<typeof openAccess>>;

/** @throws {AccessFileError | WallFileError | UsersFileError} when access tokens, walls or users cannot be read. */
export async function openAccess(base: Base, reserve: DiskReserve, clusterSecret: Uint8Array | null) {
  const { config, paths, store, machine, machine: { now, elapsed } } = base;
  const login = await Login.open(config, paths, machine, reserve);
  const metricsSecret = await readMetricsToken(config);
  const metricsToken = metricsSecret === "" ? null : new MetricsToken(metricsSecret, elapsed);
  const accessTokens = await AccessTokens.open(paths.accessTokensFile, now, reserve);
  const walls = await Walls.open(paths.wallsFile, reserve);
  const wallTokens = await WallTokens.open(paths.wallSecretFile, clusterSecret);
  const groupOf = (id: string) => store.get(id)?.group;
  const ofWalls = tokensOfWalls(wallTokens, (id) => store.get(id), (id) => walls.find(id));
  const gates = {
    apps: createTokenGate(tokensOfApps(accessTokens), groupOf, elapsed),
    walls: createTokenGate(ofWalls, groupOf, elapsed),
  };
  const pageAddress = (page: { id: string; url: string }) =>
    wallTokens.pageAddress({ ...store.get(page.id), ...page });
  return { login, metricsToken, accessTokens, gates, walls, pageAddress };
}
