import { expect, test } from '@jest/globals';
import { usageExample } from '../../../../api/contract/schemas/metrics.ts';
import { nodeWords } from './health-words.ts';

const [node] = usageExample.nodes;
if (node === undefined) throw new Error('the example has a node');

test.each([
  [{ leader: true, zone: 'a', commitLagOps: 0 }, 'leads, zone a'],
  [{ leader: false, zone: 'b', commitLagOps: 0 }, 'follows, zone b, up to date'],
  [{ leader: false, zone: null, commitLagOps: 1_200 }, 'follows, 1,200 operations behind'],
  [{ leader: null, zone: null, commitLagOps: null }, ''],
])('%j of a node is told as “%s”', (seen, words) => {
  expect(nodeWords({ ...node, ...seen }, false)).toBe(words);
});

test('a node that is alone leads nobody and is behind nobody', () => {
  expect(nodeWords({ ...node, zone: 'a' }, true)).toBe('zone a');
});
