import { expect, test } from '@jest/globals';
import { logLineExample } from '../../../../api/contract/schemas/log-line.ts';
import type { LogLineList } from '../../../../gen/api.ts';
import { readLinesFile } from './lines-file.ts';

/** A log of two lines a page, without an end. `messageLength`: of each line. */
const page = (cursor: string | undefined, messageLength = 5): LogLineList => {
  const at = cursor === undefined ? 0 : Number.parseInt(cursor, 10);
  const data = [1, 2].map((number) => ({
    ...logLineExample,
    id: String(at + number),
    message: 'x'.repeat(messageLength),
  }));
  return { data, page: { limit: 2, nextCursor: String(at + 2), hasMore: true, after: '0' } };
};
const signal = new AbortController().signal;
const idsIn = async (content: Blob) =>
  (await content.text())
    .trim()
    .split('\n')
    .map((text) => (JSON.parse(text) as { id: string }).id);

test('a file holds at most forty pages, and says that there is more', async () => {
  const counts: number[] = [];
  const file = await readLinesFile({
    page: async (cursor) => page(cursor),
    onRead: (count) => void counts.push(count),
    signal,
  });
  expect([file.count, file.isWhole, file.error]).toEqual([80, false, undefined]);
  expect(counts.at(-1)).toBe(80);
  expect(await idsIn(file.content)).toEqual(Array.from({ length: 80 }, (_, at) => String(at + 1)));
});

test('a file of long lines ends after 64 MiB', async () => {
  const file = await readLinesFile({
    page: async (cursor) => page(cursor, 4 * 2 ** 20),
    onRead: () => {},
    signal,
  });
  expect([file.count, file.isWhole]).toEqual([16, false]);
});

test('rows that were read before an error are kept, with the error', async () => {
  const error = new Error('too many requests');
  const failing = async (cursor: string | undefined) => {
    if (cursor === '4') throw error;
    return page(cursor);
  };
  const file = await readLinesFile({ page: failing, onRead: () => {}, signal });
  expect([file.count, file.isWhole, file.error]).toEqual([4, false, error]);
  expect(await idsIn(file.content)).toEqual(['1', '2', '3', '4']);
});

test('nothing is kept of a file that the person stopped, or whose first page fails', async () => {
  const stop = new AbortController();
  const stopped = async (cursor: string | undefined) => {
    if (cursor === undefined) return page(cursor);
    stop.abort(new Error('stopped'));
    return stop.signal.throwIfAborted() as never;
  };
  const reading = { page: stopped, onRead: () => {}, signal: stop.signal };
  await expect(readLinesFile(reading)).rejects.toThrow('stopped');
  const failing = async () => Promise.reject(new Error('away'));
  await expect(readLinesFile({ page: failing, onRead: () => {}, signal })).rejects.toThrow('away');
});
