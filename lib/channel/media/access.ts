/**
 * Who may watch at the media server itself. It knows nothing of the login, and every user of the machine reaches its ports
 * on loopback: other users, and code that broke out of a stream's browser. So with a login only the web app may.
 */

/** The header that the web app shows its key in. */
const HEADER = "x-media-key";

/** Of requests to the media server. @param key null without a login. */
export function mediaHeaders(key: string | null): Headers {
  return new Headers(key === null ? {} : { [HEADER]: key });
}

/** The values for nginx.conf. @param key letters and digits; null without a login: then everybody may watch anyway. */
export function accessRules(key: string | null): { mediaAccess: string; rtmpPlay: string } {
  if (key === null) return { mediaAccess: "", rtmpPlay: "allow play 127.0.0.1;" };
  const variable = `$http_${HEADER.replaceAll("-", "_")}`;
  return { mediaAccess: `if (${variable} != "${key}") { return 403; }`, rtmpPlay: "" };
}
