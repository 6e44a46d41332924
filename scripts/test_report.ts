/** What `deno test` writes for machines (JUnit's XML), read for people. */

export interface Report {
  passed: number;
  failures: string[];
  /** Names of tests that were not run; each says why in brackets. */
  skipped: string[];
  /** Seconds of each test file. */
  files: { name: string; seconds: number }[];
}

const ENTITIES: Record<string, string> = { gt: ">", lt: "<", quot: '"', apos: "'", amp: "&" };

function plain(text: string): string {
  return text.replace(/&(gt|lt|quot|apos|amp);/g, (_, entity) => ENTITIES[entity]);
}

/** Reads a report; each failure has its file, name and the beginning of what it says. */
export function readReport(xml: string): Report {
  const report: Report = { passed: 0, failures: [], skipped: [], files: [] };
  for (const [, suite, body] of xml.matchAll(/<testsuite\s([^>]*?)(?:\/>|>([^]*?)<\/testsuite>)/g)) {
    const file = plain(/\bname="([^"]*)"/.exec(suite)?.[1] ?? "");
    let seconds = 0;
    const cases = (body ?? "").matchAll(/<testcase\s([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g);
    for (const [, attributes, content = ""] of cases) {
      const name = plain(/\bname="([^"]*)"/.exec(attributes)?.[1] ?? "");
      seconds += Number(/\btime="([^"]*)"/.exec(attributes)?.[1] ?? 0);
      const failure = /<(failure|error)[^>]*>([^]*?)<\/\1>/.exec(content);
      if (failure) report.failures.push(`${file}: ${name}\n${plain(failure[2]).slice(0, 900)}`);
      else if (/<skipped/.test(content)) report.skipped.push(name);
      else report.passed++;
    }
    report.files.push({ name: file, seconds });
  }
  return report;
}
