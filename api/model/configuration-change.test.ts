import { expect, test } from '@jest/globals';
import { mergeRequests } from './configuration-change.ts';

test('the later request counts where both name a member, entry by entry in maps', () => {
  expect(
    mergeRequests(
      { clusterSize: 'lh-10', parameters: { a: '1', b: '2' }, labels: { x: '1' } },
      { clusterSize: 'lh-20', parameters: { b: null } },
    ),
  ).toEqual({ clusterSize: 'lh-20', parameters: { a: '1', b: null }, labels: { x: '1' } });
});

test('an earlier revision replaces all that waited but labels, which have no revisions', () => {
  const waiting = { clusterSize: 'lh-10', autogrow: null, labels: { x: '1' } };
  expect(mergeRequests(waiting, { revision: 2 })).toEqual({ revision: 2, labels: { x: '1' } });
  expect(mergeRequests({ revision: 2 }, { clusterSize: 'lh-5' })).toEqual({
    revision: 2,
    clusterSize: 'lh-5',
  });
});

test('a stop, or another shape, that waits is not forgotten for an earlier revision, which says nothing of it', () => {
  expect(mergeRequests({ suspended: true, clusterSize: 'lh-10' }, { revision: 2 })).toEqual({
    suspended: true,
    revision: 2,
  });
  expect(mergeRequests({ clusterConfiguration: 'ha-3' }, { revision: 2 })).toEqual({
    clusterConfiguration: 'ha-3',
    revision: 2,
  });
  expect(mergeRequests({ suspended: true }, { revision: 2, suspended: false })).toEqual({
    suspended: false,
    revision: 2,
  });
});
