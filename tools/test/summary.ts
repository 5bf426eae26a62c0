import { stripVTControlCharacters } from 'node:util';

/** Lines of an error that are shown of each failure. */
const wordsLines = 25;

/** The part of Jest's `--json` report that the ladder reads. */
export interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
      /** In milliseconds; absent for a test that did not run. */
      readonly duration?: number | null;
    }[];
  }[];
}

export interface StageResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
}

/** A failed test, or what else failed in a stage, for people. */
export interface Failure {
  readonly name: string;
  /** The beginning of its error; empty if there is none. */
  readonly words: string;
}

/** The end of a run of Jest. */
export interface JestExit {
  readonly code: number | null;
  readonly timedOut: boolean;
  /** Jest wrote its report and did not exit: a test left a handle open. */
  readonly leftOpen: boolean;
}

export interface TimedTest {
  readonly name: string;
  readonly milliseconds: number;
}

/**
 * Result of a stage, from its exit and its report. A run that crashed, ran past its deadline or ran no test counts as at least
 * one failure: silence is never success.
 */
export function summarize(report: JestReport | undefined, exit: JestExit): StageResult {
  if (exit.timedOut) return crashed('ran past its deadline', report);
  if (exit.leftOpen) return crashed('did not exit after its last test: a handle is open', report);
  if (report === undefined) return crashed(`ended with status ${exit.code} and no report`, report);
  const failures = report.testResults.flatMap((suite) => [
    ...suite.assertionResults
      .filter((a) => a.status === 'failed')
      .map((a) => ({ name: a.fullName, words: beginning((a.failureMessages ?? []).join('\n')) })),
    ...(suite.status === 'failed' && suite.assertionResults.length === 0
      ? [{ name: `${suite.name} did not load`, words: beginning(suite.message) }]
      : []),
  ]);
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  const skipped = report.numPendingTests + report.numTodoTests;
  if (failed === 0 && exit.code !== 0) return crashed(`ended with status ${exit.code}`, report);
  if (failed === 0 && report.numPassedTests + skipped === 0) return crashed('ran no test', report);
  return { passed: report.numPassedTests, failed, skipped, failures };
}

/** The first lines of an error, without the colours of a terminal. */
const beginning = (error: string) =>
  stripVTControlCharacters(error).split('\n').slice(0, wordsLines).join('\n');

function crashed(how: string, report: JestReport | undefined): StageResult {
  return {
    passed: report?.numPassedTests ?? 0,
    failed: (report?.numFailedTests ?? 0) + 1,
    skipped: report?.numPendingTests ?? 0,
    failures: [{ name: `the stage ${how}`, words: '' }],
  };
}

/** The tests of a report that ran, with their durations. */
export const timedTests = (report: JestReport | undefined): readonly TimedTest[] =>
  (report?.testResults ?? []).flatMap((suite) =>
    suite.assertionResults.flatMap(({ fullName, duration }) =>
      typeof duration === 'number' ? [{ name: fullName, milliseconds: duration }] : [],
    ),
  );

/** Lines for people: the slowest tests first, at most `count` of them. */
export const slowest = (tests: readonly TimedTest[], count: number): readonly string[] =>
  tests
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, count)
    .map(({ name, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s   ${name}`);

/**
 * All failures again, for readers who see only the end of a long run; empty without one. They are shown right before the closing line.
 */
export const failuresOf = (
  results: readonly { readonly stage: string; readonly failures: readonly Failure[] }[],
): readonly string[] => {
  const lines = results.flatMap(({ stage, failures }) =>
    failures.flatMap(({ name, words }) => [
      `FAILED ${stage} ${name}`,
      ...words.split('\n').flatMap((line) => (line.trim() === '' ? [] : [`   ${line}`])),
    ]),
  );
  return lines.length === 0 ? [] : ['what failed', ...lines, ''];
};

/** The last line of the whole run, which CI reads. */
export function closingLine(results: readonly StageResult[]): string {
  const sum = (pick: (r: StageResult) => number) => results.reduce((n, r) => n + pick(r), 0);
  const skipped = sum((r) => r.skipped);
  const line = `${sum((r) => r.passed)} passed, ${sum((r) => r.failed)} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}
