import { expect, test } from '@jest/globals';
import { catalogSpec } from '../../test/fixtures/catalog.ts';
import type { Refusal } from '../model/refusal.ts';
import { newestRelease, recordedHead, requireSound, sameHead } from './heads.ts';

const head = {
  clusterId: '340282366920938463463374607431768211455',
  replicaIndex: 0,
  replicaCount: 3,
  release: '0.17.9',
  op: 60,
  timestamp: '1795372852090008189',
  stateHash: 'aa'.repeat(16),
};
const builtin = (...releases: readonly string[]) => withReleases('Builtin', releases);

/** The catalog, where an engine has these releases. */
function withReleases(engine: 'Builtin' | 'TigerBeetle', releases: readonly string[]) {
  const spec = catalogSpec();
  const [version] = spec.engines.find(({ name }) => name === engine)?.versions ?? [];
  if (version === undefined) throw new Error(`the catalog has no ${engine}`);
  const versions = releases.map((release) => ({ ...version, release }));
  const engines = spec.engines.map((one) => (one.name === engine ? { ...one, versions } : one));
  return { ...spec, engines };
}

const now = new Date(Date.UTC(2027, 0, 1));
const files = (...changes: readonly object[]) =>
  [0, 1, 2].map((replicaIndex) => ({
    replicaIndex,
    sizeBytes: 90_000,
    head: recordedHead({ ...head, replicaIndex, ...changes[replicaIndex] }),
  }));

test('heads that rows have are compared as those of files, however large their numbers are', () => {
  expect(() => requireSound(files(), builtin('0.17.9'), now)).not.toThrow();
  const other = { clusterId: '340282366920938463463374607431768211454' };
  let refusal: Refusal | undefined;
  try {
    requireSound(files({}, other), builtin('0.17.9'), now);
  } catch (error) {
    refusal = error as Refusal;
  }
  expect(refusal).toMatchObject({
    code: 'import_files_wrong',
    occasion: {
      detail: expect.stringContaining('File 2: It is a file of cluster'),
      errors: [{ pointer: '#/files/1/clusterId', code: 'cluster_differs' }],
    },
  });
  expect(() => requireSound(files(), builtin('0.17.8'), now)).toThrow('Release 0.17.9 wrote it');
  expect(() => requireSound(files(), builtin(), now)).toThrow('import_files_wrong');
  expect(sameHead(head, { ...head })).toBe(true);
  expect(sameHead(head, { ...head, op: 61 })).toBe(false);
});

test('the newest release is that of the engine, by number', () => {
  expect(newestRelease(builtin('0.9.1', '0.17.10', '0.17.9'))).toBe('0.17.10');
  expect(newestRelease(withReleases('TigerBeetle', ['0.16.80', '0.17.1']), 'TigerBeetle')).toBe(
    '0.17.1',
  );
  expect(newestRelease({ ...catalogSpec(), engines: [] })).toBeUndefined();
});

test('heads of TigerBeetle that rows have are compared with the releases of TigerBeetle alone', () => {
  const beetles = files(
    ...[0, 1, 2].map(() => ({ engine: 'TigerBeetle', op: 0, clusterId: '77' })),
  );
  expect(() => requireSound(beetles, withReleases('TigerBeetle', ['0.17.9']), now)).not.toThrow();
  expect(() => requireSound(beetles, withReleases('TigerBeetle', ['0.17.8']), now)).toThrow(
    'Release 0.17.9 wrote it',
  );
  const without = { ...catalogSpec(), engines: builtin('0.17.9').engines.slice(0, 1) };
  expect(() => requireSound(beetles, without, now)).toThrow('no database of TigerBeetle');
  expect(sameHead(head, { ...head, engine: 'TigerBeetle' })).toBe(false);
});
