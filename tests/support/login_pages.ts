/** Web applications with a login: the forms of tests/fixtures/login, and servers that ask by HTTP. */
import { createHash } from "node:crypto";
import { ntlmMessage, NtlmServer } from "./ntlm.ts";
import { readFixture } from "./page.ts";

export const USER = "ops";
export const PASSWORD = "s3cret&'\" ü";

export interface LoginPages extends AsyncDisposable {
  /** By a name that a test's browser has to be told: pages of this machine are not opened. */
  origin: string;
  port: number;
  /** What was sent so far, such as "zabbix ops right". */
  tries: string[];
  /** Ends a session: its page asks again. */
  expire(name: string): void;
}

const WELCOME = "<!doctype html><title>welcome</title><h1>welcome</h1>";
const REALM = "wall";

/** What providers ask between the password and the page. */
const QUESTIONS: Record<string, string> = {
  stay:
    "<!doctype html><title>Sign in</title><h1>Stay signed in?</h1><form method=post action=/login/answer-stay>" +
    "<input type=submit name=answer value=No><input type=submit name=answer value=Yes></form>",
  account: "<!doctype html><title>Sign in</title><h1>Pick an account</h1>" +
    "<button>ops@example.org</button><button>Use another account</button>",
};

export function serveLogins(): LoginPages {
  const tries: string[] = [];
  const sessions = new Set<string>();
  /** By the client's port. */
  const conversations = new Map<number, NtlmServer>();
  const html = (body: string | null, status = 200, headers: Record<string, string> = {}) =>
    new Response(body ?? "not found", {
      status: body === null ? 404 : status,
      headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", ...headers },
    });
  const redirect = (path: string) => new Response(null, { status: 303, headers: { location: path } });

  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request, info) => {
    const { pathname } = new URL(request.url);
    const [, place, name] = pathname.split("/");
    if (place === "session") return html(tries.length > 0 && !sessions.has(name) ? "over" : "");
    const [scheme] = place.split("-"); // a browser gives what it knows to everything beside it
    if (scheme === "basic" || scheme === "digest") return byHttp(request, scheme, place, tries);
    if (scheme === "ntlm") return byNtlm(request, info.remoteAddr.port);
    if (place !== "login") return html(null);
    if (request.method !== "POST") {
      const hasQuestion = Object.hasOwn(QUESTIONS, name);
      const welcome = hasQuestion && !sessions.has(`answer-${name}`) ? QUESTIONS[name] : WELCOME;
      return html(
        sessions.has(name) ? welcome : readFixture(`login/${hasQuestion ? "question" : name}.html`),
      );
    }
    const body = await request.formData();
    if (name.startsWith("answer-")) {
      tries.push(`${name} ${body.get("answer")}`);
      sessions.add(name);
      return redirect(`/login/${name.slice("answer-".length)}`);
    }
    if (name === "keycloak" && !body.has("password")) return redirect("/login/keycloak?step=password");
    const isRight = body.get("user") === USER && body.get("password") === PASSWORD;
    tries.push(`${name} ${body.get("user")} ${isRight ? "right" : "wrong"}`);
    if (isRight) sessions.add(name);
    if (name === "keycloak" || name === "zabbix" || Object.hasOwn(QUESTIONS, name)) {
      const error = "Incorrect user name or password or account is temporarily blocked.";
      return redirect(isRight ? `/login/${name}` : `/login/${name}?error=${encodeURIComponent(error)}`);
    }
    return isRight ? html("{}") : html("{}", 401);
  });
  return {
    origin: `http://wall.test:${server.addr.port}`,
    port: server.addr.port,
    tries,
    expire: (name) => sessions.delete(name),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };

  /** Source: MS-NTHT. A connection is logged in, and not a request. */
  function byNtlm(request: Request, connection: number): Response {
    const message = ntlmMessage(request.headers.get("authorization"));
    const asked = conversations.get(connection);
    const isLast = message?.type === 3 && asked !== undefined;
    const isRight = isLast && asked.isRight(message.bytes, USER, PASSWORD);
    if (isLast) tries.push(`ntlm ${isRight ? "right" : "wrong"}`);
    if (isRight) return html(WELCOME);
    let challenge = "NTLM";
    if (message?.type === 1) {
      const server = new NtlmServer();
      conversations.set(connection, server);
      challenge = `NTLM ${server.ask()}`;
    }
    const answer = html("<h1>401</h1>", 401, { "www-authenticate": challenge });
    // Windows' servers name both, the stronger first
    if (challenge === "NTLM") answer.headers.set("www-authenticate", "Negotiate");
    if (challenge === "NTLM") answer.headers.append("www-authenticate", challenge);
    return answer;
  }

  function byHttp(request: Request, scheme: "basic" | "digest", name: string, tries: string[]): Response {
    const given = request.headers.get("authorization");
    const challenge = scheme === "basic"
      ? `Basic realm="${REALM} ${name}", charset="UTF-8"`
      : `Digest realm="${REALM}", qop="auth", nonce="5f", algorithm=MD5`;
    const isRight = given !== null &&
      (scheme === "basic" ? given === basic() : isDigest(given, new URL(request.url).pathname));
    if (given !== null) tries.push(`${scheme} ${isRight ? "right" : "wrong"}`);
    return isRight ? html(WELCOME) : html("<h1>401</h1>", 401, { "www-authenticate": challenge });
  }
}

function basic(): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${USER}:${PASSWORD}`)))}`;
}

/** Source: RFC 7616, section 3.4.1. */
function isDigest(given: string, path: string): boolean {
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");
  const value = (name: string) => new RegExp(`\\b${name}="?([^",]+)`).exec(given)?.[1] ?? "";
  const secret = md5(`${USER}:${REALM}:${PASSWORD}`);
  const place = md5(`GET:${path}`);
  return value("response") === md5(`${secret}:5f:${value("nc")}:${value("cnonce")}:auth:${place}`);
}
