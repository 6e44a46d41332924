/** One try to deliver a message by e-mail. */
import type { StoredReceiver } from "../model/receivers.ts";
import { isIP } from "node:net";
import { plainHost } from "../reach/reach.ts";
import { errorText } from "../machine/tools/log.ts";
import { withTimeout } from "../machine/tools/time.ts";
import { type Message, pastLine, textOf, titleOf } from "./message.ts";
import type { SendOptions, Try } from "./send.ts";
import { mailAddresses } from "./ways.ts";

export type MailRoute = Pick<
  StoredReceiver,
  "server" | "port" | "security" | "user" | "password" | "from" | "to"
>;

const MAX_SAID = 200;

/** The mail of a message: plain text alone. Pure. */
export function mailOf(message: Message, { from, to }: Pick<MailRoute, "from" | "to">) {
  return {
    from: { name: "Browser Stream", address: from },
    to: mailAddresses(to),
    subject: titleOf(message),
    text: [textOf(message), message.link, pastLine(message)].filter(Boolean).join("\n\n") + "\n",
    messageId: `<${message.id}@browser-stream>`,
    // no holiday note answers
    headers: { "Auto-Submitted": "auto-generated" },
  };
}

/** Sends a message by SMTP. Never rejects; the result has no password. */
export async function sendMail(
  message: Message,
  route: MailRoute,
  { answerMs, signal, address }: Pick<SendOptions, "answerMs" | "signal" | "address">,
): Promise<Try> {
  const failed = (problem: string, status: number | null = null) => ({
    isDelivered: false,
    status,
    problem,
    retryAfterMs: 0,
  });
  if (signal.aborted) return failed("The service is being stopped.");
  if (address === undefined) return failed("The mail server cannot be reached: its name has no address.");
  const { server, port, security, user, password } = route;
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    // as it was judged: the name is not asked again, and only names the certificate
    host: address,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ...(isIP(plainHost(server)) === 0 ? { tls: { servername: server } } : {}),
    ignoreTLS: security === "none",
    ...(user ? { auth: { user, pass: password } } : {}),
    connectionTimeout: answerMs,
    greetingTimeout: answerMs,
    socketTimeout: answerMs,
    dnsTimeout: answerMs,
    // the words of a message are a text, and never the name of a file or an address
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // the transport knows the limit of a silence alone, and a server may say a little again and again
  const leaving = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new Error("The service is being stopped"));
  signal.addEventListener("abort", stop);
  try {
    const sent = transport.sendMail({ ...mailOf(message, route), signal: leaving.signal });
    await withTimeout(
      answerMs,
      Promise.race([sent, stopped.promise]),
      `no answer within ${answerMs / 1000} s`,
    );
    return { isDelivered: true, status: 250, problem: "", retryAfterMs: 0 };
  } catch (error) {
    type Refusal = { responseCode?: number; response?: string; command?: string };
    const { responseCode = null, response, command } = error as Refusal;
    const said = clean(response ?? errorText(error), password);
    const problem = responseCode === null
      ? `The mail server cannot be reached: ${said}.`
      : command === "STARTTLS"
      ? `The mail server refuses STARTTLS: ${said}. Choose another encryption or port.`
      : `The mail server answered: ${said}`;
    return failed(problem, responseCode);
  } finally {
    signal.removeEventListener("abort", stop);
    leaving.abort();
  }
}

function clean(said: string, password: string): string {
  const coded = new TextEncoder().encode(password).toBase64();
  const hidden = password === "" ? said : said.replaceAll(password, "…").replaceAll(coded, "…");
  // deno-lint-ignore no-control-regex
  return hidden.replace(/[\s\x00-\x1f\x7f]+/g, " ").trim().slice(0, MAX_SAID);
}
