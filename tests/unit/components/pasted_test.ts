import assert from "node:assert/strict";
import { pastedLines } from "../../../components/form/several/pasted.ts";

Deno.test("several addresses become a stream each, with a name of host and path", () => {
  const text =
    "grafana.local:3000/d/abc/network-overview\nhttp://grafana.local:3000/d/xyz/power%20use.html\n" +
    "https://www.example.org/board\r\n\n192.168.1.5\n";
  assert.deepEqual(pastedLines(text, ["192.168.1.5"]), [
    { name: "grafana.local network overview", url: "http://grafana.local:3000/d/abc/network-overview" },
    { name: "grafana.local power use", url: "http://grafana.local:3000/d/xyz/power%20use.html" },
    { name: "example.org", url: "https://www.example.org/board" },
    { name: "192.168.1.5 2", url: "http://192.168.1.5" },
  ]);
});

Deno.test("words beside an address are its name", () => {
  const text = "Sales\thttps://a.example/\n- Ops, north: b.example/x\n1. <https://c.example/> \n";
  assert.deepEqual(pastedLines(text, []), [
    { name: "Sales", url: "https://a.example/" },
    { name: "Ops north", url: "https://b.example/x" },
    { name: "c.example", url: "https://c.example/" },
  ]);
});

Deno.test("an M3U playlist of pages keeps names, numbers, logos and groups", () => {
  const text = [
    '#EXTM3U x-tvg-url="https://tv.example/epg.xml"',
    '#EXTINF:-1 tvg-id="n" tvg-chno="7" tvg-logo="https://a.example/n,1.png" group-title="Ops",News, north',
    "#EXTVLCOPT:x=1",
    "https://a.example/",
    '#EXTINF:-1 tvg-name="Sales" channel-number="0" tvg-logo="logos/s.png",',
    "b.example/x",
    "",
    "not an address",
  ].join("\r\n");
  assert.deepEqual(pastedLines(text, []), [
    {
      ...{ name: "News, north", url: "https://a.example/", channelNumber: "7", group: "Ops" },
      channelLogo: "https://a.example/n,1.png",
    },
    { name: "Sales", url: "https://b.example/x" },
    { name: "not an address", url: "not an address" },
  ]);
});

Deno.test("addresses on one line are several, too, and the same one twice has two names", () => {
  const lines = pastedLines("https://a.example/ https://b.example/, https://b.example/", [])!;
  assert.deepEqual(lines.map(({ name }) => name), ["a.example", "b.example", "b.example 2"]);
});

Deno.test("what is no address stays as a line of its own, also where a single address is right", () => {
  const text = "a.example/x\nnot an address\nfile:///etc/passwd b.example/x\n\nhttps://\n";
  assert.deepEqual(pastedLines(text, []), [
    { name: "a.example", url: "https://a.example/x" },
    { name: "not an address", url: "not an address" },
    { name: "file:///etc/passwd", url: "file:///etc/passwd" },
    { name: "b.example", url: "https://b.example/x" },
    { name: "https://", url: "https://" },
  ]);
  const urls = (text: string) => pastedLines(text, [])?.map(({ url }) => url) ?? null;
  assert.deepEqual(urls("a.example/x\nhtp://b.example/"), ["https://a.example/x", "htp://b.example/"]);
  assert.equal(urls("a.example/x\nnot an address"), null);
  assert.equal(urls("ftp://b.example/\nhtp://c.example/"), null);
});

Deno.test("one address, and text without addresses, is pasted as it is", () => {
  for (
    const text of [
      "",
      "https://a.example/",
      " a.example/x \n",
      "Sales https://a.example/",
      "two words",
      "a\nb\nc",
    ]
  ) assert.equal(pastedLines(text, []), null, text);
});

Deno.test("no line of a long list is lost", () => {
  const text = Array.from({ length: 5000 }, (_, n) => `https://h${n}.example/`).join("\n");
  assert.equal(pastedLines(text, [])!.length, 5000);
});
