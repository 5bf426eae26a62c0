import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { processOutput } from './output.ts';

let written = '';
beforeEach(() => {
  written = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});
afterEach(() => void jest.restoreAllMocks());

test('the text of a service or a file name cannot control the terminal, whatever kind of line tells it', () => {
  const output = processOutput({ quiet: false, verbose: true });
  const hostile = 'gone\u001B[2J\u009B1A\rok: \u202Etrying again\u2069';
  output.note(hostile);
  output.warn(hostile);
  output.trace(hostile);
  expect(written).toBe('gone\ufffd[2J\ufffd1A\ufffdok: \ufffdtrying again\ufffd\n'.repeat(3));
});

test('a note of several lines keeps its lines', () => {
  processOutput({ quiet: false, verbose: false }).note('one\n  two');
  expect(written).toBe('one\n  two\n');
});
