/** PUBLIC_URL and the events behind the proxies of docs/proxies/. What needs a channel is in tests/e2e/secrets/login_test.ts. */
import { strict as assert } from "node:assert";
import { testApp } from "../../support/app.ts";
import { FeedListener } from "../../support/feed_listener.ts";
import { ask, HOST, listenThrough, PROXIES, startProxy } from "../../support/reverse_proxy.ts";
import { reserveSlot } from "../../support/slot.ts";

const [AUTH_USER, AUTH_PASS] = ["anna", "correct-horse-battery"];

for (const name of PROXIES) {
  Deno.test(`behind ${name} with PUBLIC_URL: its address is in links, its cookie for https, and events come as they happen`, async () => {
    using slot = reserveSlot();
    const port = Number(slot.env.PORT);
    const origin = `https://${HOST}:${port}`;
    await using app = await testApp({
      isStarted: true,
      env: {
        AUTH_USER,
        AUTH_PASS,
        PUBLIC_URL: origin,
        TRUSTED_PROXIES: "127.0.0.1",
        TIMINGS: '{"feed":{"roundMs":5}}',
      },
    });
    await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, app.handler);
    await using proxy = await startProxy(name, `http://127.0.0.1:${server.addr.port}`, port);

    const sent = { "content-type": "application/x-www-form-urlencoded", origin };
    const body = `${new URLSearchParams({ user: AUTH_USER, pass: AUTH_PASS })}`;
    const login = await ask(proxy, "/login", { method: "POST", headers: sent, body });
    assert.equal(login.status, 303, login.text);
    const [cookie, ...attributes] = login.headers.get("set-cookie")!.split("; ");
    assert.ok(attributes.includes("Secure"), `${attributes}`);

    await app.create();
    const playlist = await ask(proxy, "/playlist.m3u", { headers: { cookie } });
    assert.ok(playlist.text.includes(`\n${origin}/api/hls/live/clock/index.m3u8\n`), playlist.text);

    await using events = new FeedListener(await listenThrough(proxy, "/api/events", { cookie }));
    await events.until("state");
    await app.create({ name: "Sales" });
    await events.until("list");
  });
}
