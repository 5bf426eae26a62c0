import { expect, test } from '@jest/globals';
import { releaseOfText } from '../../domain/import-files/file-head.ts';
import { versionFor } from './version-for.ts';

const version = (release: string, deprecated = false) => ({
  version: `v${release}`,
  release,
  upgradableFrom: [],
  images: {},
  deprecated,
});

test.each([
  ['the default one, if it reads the files', '0.17.7', 'v0.17.8'],
  ['the next newer one, if the default one is too old', '0.17.9', 'v0.17.11'],
  ['one that goes away, if there is no other', '0.17.12', 'v0.17.12'],
  ['none, if all are too old', '0.17.13', undefined],
])('the version for files is %s', (_, release, expected) => {
  const versions = ['0.17.12', '0.17.10', '0.17.11', '0.17.8'].map((one) =>
    version(one, one === '0.17.10' || one === '0.17.12'),
  );
  const engine = { defaultVersion: 'v0.17.8', versions } as never;
  expect(versionFor(engine, releaseOfText(release) ?? 0)).toBe(expected);
});
