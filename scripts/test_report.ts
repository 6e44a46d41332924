/** What `deno test` writes for machines (JUnit's XML), read for people. */

export interface Report {
  passed: number;
  failures: string[];
  /** Names of tests that were not run; each says why in brackets. */
  skipped: string[];
  times: { name: string; seconds: number }[];
}

const ENTITIES: Record<string, string> = { gt: ">", lt: "<", quot: '"', apos: "'", amp: "&" };

function plain(text: string): string {
  return text.replace(/&(gt|lt|quot|apos|amp);/g, (_, entity) => ENTITIES[entity]);
}

/** Reads a report; each failure has its name and the beginning of what it says. */
export function readReport(xml: string): Report {
  const report: Report = { passed: 0, failures: [], skipped: [], times: [] };
  // suites are of no use: they are the files that call Deno.test, often one of tests/support
  for (
    const [, attributes, content = ""] of xml.matchAll(/<testcase\s([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g)
  ) {
    const name = plain(/\bname="([^"]*)"/.exec(attributes)?.[1] ?? "");
    report.times.push({ name, seconds: Number(/\btime="([^"]*)"/.exec(attributes)?.[1] ?? 0) });
    const failure = /<(failure|error)[^>]*>([^]*?)<\/\1>/.exec(content);
    if (failure) report.failures.push(`${name}\n${plain(failure[2]).slice(0, 900)}`);
    else if (/<skipped/.test(content)) report.skipped.push(name);
    else report.passed++;
  }
  return report;
}
