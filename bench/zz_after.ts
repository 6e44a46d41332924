import { pause, startService } from "../tests/support/service.ts";
import { cpu, median, memory } from "./processes.ts";
import { RemoteBrowser } from "../tests/support/remote_browser.ts";
const service = await startService({});
try {
  const ids: string[] = [];
  for (let at = 1; at <= 4; at++) {
    ids.push(
      (await service.create({ name: `Idle ${at}`, url: `${service.pageUrl}idle.html`, audio: false })).id,
    );
  }
  for (const id of ids) await service.untilState(id, "running", 60_000);
  await pause(15_000);
  const [web] = service.processes(/ serve$/);
  const windows = [];
  for (let i = 0; i < 4; i++) windows.push((await cpu({ web }, 15_000)).web);
  console.log("cpu", median(windows), windows);
  console.log("PSS", memory(web, "Pss"), "RSS", memory(web, "Rss"));
  const { control } = new RemoteBrowser(service, ids[0]);
  const t = async (w: () => Promise<unknown>) => {
    const a = [];
    for (let i = 0; i < 200; i++) {
      const f = performance.now();
      await w();
      a.push(performance.now() - f);
    }
    return median(a);
  };
  const c = await control.open();
  console.log("version standing", await t(() => c.send("Browser.getVersion")));
  await c[Symbol.asyncDispose]();
  console.log("version with a connection each", await t(() => control.answers(5000)));
  await using page = await control.connectFirst();
  console.log("evaluate", await t(() => page.evaluate("1")));
} finally {
  await service.stop();
}
