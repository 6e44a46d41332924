/** A local mail server without encryption: keeps what came, and wants the login that it is told. */

export interface ReceivedMail {
  /** From AUTH PLAIN; "" without a login. */
  login: string;
  from: string;
  to: string[];
  text: string;
}

export interface TestMailServer extends AsyncDisposable {
  port: number;
  received: ReceivedMail[];
  /** The logins that were tried. */
  logins: string[];
}

/** @param login such as "user:password", which is refused otherwise. */
export function testMailServer(login: string): TestMailServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const received: ReceivedMail[] = [];
  const logins: string[] = [];
  const talks = new Set<Promise<void>>();
  const open = new Set<Deno.Conn>();
  let isOver = false;
  const accepting = (async () => {
    for await (const connection of listener) {
      open.add(connection);
      const talk = talkWith(connection, login, { received, logins }).catch(() => {}).finally(() => {
        open.delete(connection);
        talks.delete(talk);
      });
      talks.add(talk);
    }
  })();
  return {
    port: listener.addr.port,
    received,
    logins,
    async [Symbol.asyncDispose]() {
      if (!isOver) listener.close();
      isOver = true;
      await accepting;
      for (const connection of open) connection.close();
      await Promise.all(talks);
    },
  };
}

async function talkWith(
  connection: Deno.Conn,
  login: string,
  { received, logins }: Pick<TestMailServer, "received" | "logins">,
): Promise<void> {
  const say = (line: string) => connection.write(new TextEncoder().encode(`${line}\r\n`));
  let mail: ReceivedMail = { login: "", from: "", to: [], text: "" };
  let isData = false, isLogin = false;
  const answer = async (line: string): Promise<boolean> => {
    if (isData) {
      if (line !== ".") {
        mail.text += `${line}\n`;
        return true;
      }
      isData = false;
      received.push(mail);
      mail = { ...mail, to: [], text: "" };
      await say("250 taken");
      return true;
    }
    const [verb, first = "", second = ""] = line.split(/[ ]+/);
    switch (verb.toUpperCase()) {
      case "EHLO":
        await say("250-mail.test\r\n250 AUTH PLAIN");
        return true;
      case "STARTTLS":
        await say("502 not here");
        return true;
      case "AUTH": {
        mail.login = atob(second).split("\0").slice(1).join(":");
        logins.push(mail.login);
        isLogin = mail.login === login;
        await say(isLogin ? "235 welcome" : `535 wrong: ${mail.login}`);
        return true;
      }
      case "MAIL":
        mail.from = `${first}${second}`.match(/<(.*?)>/)?.[1] ?? "";
        await say(isLogin ? "250 ok" : "530 log in first");
        return true;
      case "RCPT":
        mail.to.push(`${first}${second}`.match(/<(.*?)>/)?.[1] ?? "");
        await say("250 ok");
        return true;
      case "DATA":
        isData = true;
        await say("354 go on");
        return true;
      case "QUIT":
        await say("221 bye");
        return false;
      default:
        await say("250 ok");
        return true;
    }
  };
  try {
    await say("220 mail.test");
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of connection.readable) {
      rest += decoder.decode(bytes, { stream: true });
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (!await answer(line)) return;
      }
    }
  } finally {
    try {
      connection.close();
    } catch {
      // its readable has closed it
    }
  }
}
