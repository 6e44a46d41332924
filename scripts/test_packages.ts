/** The tests' packages beside the service's own packages: players of other projects, validators, XMLTV's DTD, a proxy. */
import type { Package } from "../lib/machine/os/packages.ts";

export const TEST_PACKAGES: Package[] = [
  ["apache2-bin", "/usr/sbin/apache2"],
  ["caddy", "/usr/bin/caddy"],
  ["chromium-headless-shell", "/usr/bin/chromium-headless-shell"],
  ["haproxy", "/usr/sbin/haproxy"],
  ["libxml2-utils", "/usr/bin/xmllint"],
  ["mpv", "/usr/bin/mpv"],
  ["prometheus", "/usr/bin/promtool"],
  ["nats-server", "/usr/sbin/nats-server"],
  ["xmltv-util", "/usr/share/xmltv/xmltv.dtd"],
  ["vlc-bin", "/usr/bin/cvlc"],
  ["vlc-plugin-base", `/usr/lib/${Deno.build.arch}-linux-gnu/vlc/plugins/demux/libadaptive_plugin.so`],
];

/** The image tests' packages beside these: an engine, and the tools for a base image of packages alone. */
export const IMAGE_PACKAGES: Package[] = [
  ["docker.io", "/usr/bin/docker"],
  ["docker.io", "/usr/sbin/dockerd"],
  ["docker-compose", "/usr/bin/docker-compose"],
  ["debootstrap", "/usr/sbin/debootstrap"],
];

/** What runs the pod of deploy/kubernetes; catatonit is the process that keeps a pod. */
export const POD_PACKAGES: Package[] = [
  ["podman", "/usr/bin/podman"],
  ["catatonit", "/usr/bin/catatonit"],
];
