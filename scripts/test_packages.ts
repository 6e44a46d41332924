/** What the tests need beside the service's own packages: players that other people made, a validator, a look at TCP. */
import type { Package } from "../lib/system/packages.ts";

export const TEST_PACKAGES: Package[] = [
  ["iproute2", "/usr/bin/ss"],
  ["libxml2-utils", "/usr/bin/xmllint"],
  ["mpv", "/usr/bin/mpv"],
  ["vlc-bin", "/usr/bin/cvlc"],
  ["vlc-plugin-base", `/usr/lib/${Deno.build.arch}-linux-gnu/vlc/plugins/demux/libadaptive_plugin.so`],
];
