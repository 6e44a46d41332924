/** Every address of the service. */
import { namesIn, root } from "./fixture.ts";

async function filesBelow(folder: string): Promise<string[]> {
  const found = await Promise.all((await namesIn(root + folder)).map(async (name) => {
    const path = `${folder}/${name}`;
    return (await Deno.stat(root + path)).isDirectory ? await filesBelow(path) : [path];
  }));
  return found.flat();
}

/** The URL patterns of routes/, such as /api/streams/[id]/log/[program]. */
export async function routePatterns(): Promise<string[]> {
  return (await filesBelow("routes")).filter((path) => !/\/_[^/]*$/.test(path))
    .map((path) => path.replace(/^routes|\.tsx?$|\/index(?=\.tsx?$)/g, "") || "/");
}

/** A pattern's address for a stream. */
export function filled(pattern: string, id: string): string {
  return pattern.replace("[id]", id).replace("[program]", "encoder")
    .replace("[...path]", `live/${id}/index.m3u8`);
}

/** The address of each pattern for a stream, and of each file that is served. */
export async function addresses(id: string): Promise<string[]> {
  const routes = (await routePatterns()).map((pattern) => filled(pattern, id));
  const built = (await filesBelow("_fresh/static")).map((path) => path.replace("_fresh/static", ""));
  return [...routes, ...built];
}
