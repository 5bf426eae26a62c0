import { expect, test } from '@jest/globals';
import {
  closingLine,
  failuresOf,
  slowest,
  summarize,
  timedTests,
  type JestReport,
} from './summary.ts';

const report = (part: Partial<JestReport>): JestReport => ({
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  testResults: [],
  ...part,
});
const ended = (code: number | null, how: { timedOut?: boolean; leftOpen?: boolean } = {}) => ({
  code,
  timedOut: how.timedOut ?? false,
  leftOpen: how.leftOpen ?? false,
});

test('a stage that passes counts its tests', () => {
  const result = summarize(report({ numPassedTests: 3, numPendingTests: 1 }), ended(0));
  expect(result).toEqual({ passed: 3, failed: 0, skipped: 1, failures: [] });
});

test.each([
  ['a crash without a report', undefined, ended(134)],
  ['a run past its deadline', report({ numPassedTests: 9 }), ended(null, { timedOut: true })],
  ['a run of no test', report({}), ended(0)],
  ['a run that does not exit', report({ numPassedTests: 9 }), ended(null, { leftOpen: true })],
  ['a bad exit status though every test passed', report({ numPassedTests: 9 }), ended(1)],
  ['a suite that does not load', report({ numRuntimeErrorTestSuites: 1 }), ended(1)],
])('silence is never success: %s is a failure', (_, jestReport, exit) => {
  expect(summarize(jestReport, exit).failed).toBeGreaterThan(0);
});

test('the closing line adds the stages up and names skipped tests only when there are some', () => {
  const ok = { passed: 2, failed: 0, skipped: 0, failures: [] };
  expect(closingLine([ok, ok])).toBe('4 passed, 0 failed');
  expect(closingLine([ok, { ...ok, failed: 1, skipped: 2 }])).toBe('4 passed, 1 failed, 2 skipped');
});

test('the slowest tests come first, and a test that did not run is not timed', () => {
  const assertion = (fullName: string, duration?: number | null) =>
    duration === undefined
      ? { fullName, status: 'pending' }
      : { fullName, status: 'passed', duration };
  const suite = {
    name: 'a.test.ts',
    status: 'passed',
    message: '',
    assertionResults: [assertion('quick', 20), assertion('slow', 12_340), assertion('skipped')],
  };
  const tests = timedTests(report({ testResults: [suite] }));
  expect(slowest(tests, 20)).toEqual(['   12.3 s   slow', '    0.0 s   quick']);
  expect(slowest(tests, 1)).toEqual(['   12.3 s   slow']);
});

test('the end of a run tells each failure with the beginning of its error', () => {
  const words = Array.from({ length: 100 }, (_, line) => `\u001b[31mline ${line}\u001b[39m`);
  const suite = {
    name: 'a.test.ts',
    status: 'failed',
    message: '',
    assertionResults: [
      { fullName: 'breaks', status: 'failed', failureMessages: [words.join('\n')] },
      { fullName: 'holds', status: 'passed' },
    ],
  };
  const broken = {
    name: 'b.test.ts',
    status: 'failed',
    message: 'no such import',
    assertionResults: [],
  };
  const { failures } = summarize(
    report({ numFailedTests: 1, testResults: [suite, broken] }),
    ended(1),
  );
  const lines = failuresOf([{ stage: 'unit', failures }]);
  expect(lines.slice(0, 3)).toEqual(['what failed', 'FAILED unit breaks', '   line 0']);
  expect(lines).toContain('FAILED unit b.test.ts did not load');
  expect(lines).toContain('   no such import');
  expect(lines).not.toContain('   line 99');
  expect(failuresOf([{ stage: 'unit', failures: [] }])).toEqual([]);
});
