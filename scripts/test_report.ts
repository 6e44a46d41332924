/** Reads the report that `deno test` writes for machines (JUnit's XML), for people. */

export interface Failure {
  name: string;
  /** The message of the assertion. */
  text: string;
}

export interface Report {
  passed: number;
  failures: Failure[];
  /** Names of tests that were not run, each with its reason in brackets. */
  skipped: string[];
  times: { name: string; seconds: number }[];
}

const ENTITIES: Record<string, string> = { gt: ">", lt: "<", quot: '"', apos: "'", amp: "&" };

function plain(text: string): string {
  return text.replace(/&(gt|lt|quot|apos|amp);/g, (_, entity) => ENTITIES[entity]);
}

/** Reads a report; an unwritten report has no tests. */
export function readReport(xml: string): Report {
  const report: Report = { passed: 0, failures: [], skipped: [], times: [] };
  // suites are of no use: they are the files that call Deno.test, often a file of tests/support
  for (
    const [, attributes, content = ""] of xml.matchAll(/<testcase\s([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g)
  ) {
    const name = plain(/\bname="([^"]*)"/.exec(attributes)?.[1] ?? "");
    report.times.push({ name, seconds: Number(/\btime="([^"]*)"/.exec(attributes)?.[1] ?? 0) });
    const failure = /<(failure|error)[^>]*>([^]*?)<\/\1>/.exec(content);
    if (failure) report.failures.push({ name, text: plain(failure[2]) });
    else if (/<skipped/.test(content)) report.skipped.push(name);
    else report.passed++;
  }
  return report;
}

/** The output of a test, with the frame that `deno test` draws around it; of a long output, the end. */
export function outputOf(log: string, name: string, lines: number): string {
  const said = log.split("\n");
  const begin = said.findIndex((line) => line.startsWith(`${name} ...`));
  const end = begin < 0
    ? -1
    : said.findIndex((line, at) => at >= begin && /\.\.\. .*(FAILED|ok) \(/.test(line));
  return (end < 0 ? [] : said.slice(begin + 1, end)).slice(-lines).join("\n");
}

/** Measurements that tests printed as "TIME name seconds". */
export function measuredTimes(log: string): { name: string; seconds: number }[] {
  return Array.from(log.matchAll(/^TIME (.+) (\d+(?:\.\d+)?)$/gm), ([, name, seconds]) => ({
    name,
    seconds: Number(seconds),
  }));
}

/** The number of tests that the process left to tests/soak (tests/support/soak.ts). */
export function leftOut(log: string): number {
  return Array.from(log.matchAll(/^LEFT OUT (\d+)$/gm), ([, count]) => Number(count)).reduce(
    (a, b) => a + b,
    0,
  );
}
