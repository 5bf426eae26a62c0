import { expect, test } from '@jest/globals';
import { exposition, single } from './exposition.ts';

test('a metric is written with its help, its type and its samples, whatever is in a label', async () => {
  expect(
    await exposition([
      { name: 'absent', type: 'gauge', help: 'Not known yet.', samples: [] },
      { name: 'a', type: 'gauge', help: 'One.', samples: single(1) },
      {
        name: 'b_total',
        type: 'counter',
        help: 'Two.',
        samples: [
          { labels: { x: 'plain', y: 'a"b' }, value: 2 },
          { labels: { x: 'back\\slash', y: 'new\nline' }, value: 0.5 },
        ],
      },
    ]),
  ).toBe(
    [
      '# HELP a One.',
      '# TYPE a gauge',
      'a 1',
      '',
      '# HELP b_total Two.',
      '# TYPE b_total counter',
      'b_total{x="plain",y="a\\"b"} 2',
      'b_total{x="back\\\\slash",y="new\\nline"} 0.5',
      '',
    ].join('\n'),
  );
});
