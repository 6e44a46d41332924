import type { FreshConfig } from "fresh";
import type { BuildOptions } from "fresh/dev";

/** Options of the app, for main.ts. */
export const appConfig: FreshConfig = {};

/** Options of the build, for dev.ts. */
export const buildConfig: BuildOptions = {
  target: ["chrome99", "firefox99", "safari15"],
};
