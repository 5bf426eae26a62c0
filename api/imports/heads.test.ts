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
const now = new Date(Date.UTC(2027, 0, 1));
const files = (...changes: readonly object[]) =>
  [0, 1, 2].map((replicaIndex) => ({
    replicaIndex,
    sizeBytes: 90_000,
    head: recordedHead({ ...head, replicaIndex, ...changes[replicaIndex] }),
  }));

test('heads that rows have are compared as those of files, however large their numbers are', () => {
  expect(() => requireSound(files(), '0.17.9', now)).not.toThrow();
  const other = { clusterId: '340282366920938463463374607431768211454' };
  let refusal: Refusal | undefined;
  try {
    requireSound(files({}, other), '0.17.9', now);
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
  expect(() => requireSound(files(), '0.17.8', now)).toThrow('Release 0.17.9 wrote it');
  expect(() => requireSound(files(), undefined, now)).toThrow('import_files_wrong');
  expect(sameHead(head, { ...head })).toBe(true);
  expect(sameHead(head, { ...head, op: 61 })).toBe(false);
});

test('the newest release is that of the built-in engine, by number', () => {
  const spec = catalogSpec();
  const [version] = spec.engines.find(({ name }) => name === 'Builtin')?.versions ?? [];
  if (version === undefined) throw new Error('the catalog has no built-in engine');
  const versions = ['0.9.1', '0.17.10', '0.17.9'].map((release) => ({ ...version, release }));
  const engines = spec.engines.map((engine) =>
    engine.name === 'Builtin' ? { ...engine, versions } : engine,
  );
  expect(newestRelease({ ...spec, engines })).toBe('0.17.10');
  expect(newestRelease({ ...spec, engines: [] })).toBeUndefined();
});
