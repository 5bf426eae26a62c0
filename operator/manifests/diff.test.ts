import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { missing } from './diff.ts';

const container = (changes: object) => ({
  containers: [{ name: 'engine', image: 'a', ...changes }],
});

test.each<[string, unknown, unknown, readonly string[]]>([
  ['the same', { a: 1, b: ['x'] }, { a: 1, b: ['x'] }, []],
  ['defaults that the API server added', { a: 1 }, { a: 1, protocol: 'TCP' }, []],
  ['another value', { a: { b: 1 } }, { a: { b: 2 } }, ['a.b']],
  ['a field that is not there', { a: { b: 1, c: 2 } }, {}, ['a.b', 'a.c']],
  [
    'a port as text is another than as a number',
    { targetPort: 1 },
    { targetPort: '1' },
    ['targetPort'],
  ],
  ['false is not absent', { a: false }, {}, ['a']],
  ['undefined asks for nothing', { a: undefined }, { a: 1 }, []],
  ['empty is absent', { egress: [], labels: {} }, {}, []],
  ['empty is not something', { egress: [] }, { egress: [{}] }, ['egress']],
  ['a map for a value', { a: { b: 1 } }, { a: 1 }, ['a']],
  ['a list for a value', { a: [1] }, { a: 1 }, ['a']],
  ['an argument more', { args: ['a'] }, { args: ['a', 'b'] }, ['args']],
  [
    'arguments in another order',
    { args: ['a', 'b'] },
    { args: ['b', 'a'] },
    ['args[0]', 'args[1]'],
  ],
  ['labels of others', { labels: { 'x/y': '1' } }, { labels: { 'x/y': '1', 'z/y': '2' } }, []],
  [
    'a label that was changed',
    { labels: { 'x/y': '1' } },
    { labels: { 'x/y': '2' } },
    ['labels[x/y]'],
  ],
  [
    'a selector that was narrowed',
    { selector: { a: '1' } },
    { selector: { a: '1', b: '2' } },
    ['selector'],
  ],
  [
    'a selector that was narrowed, within',
    { podSelector: { matchLabels: { a: '1' } } },
    { podSelector: { matchLabels: { a: '1', b: '2' } } },
    ['podSelector.matchLabels'],
  ],
  [
    'a selector that was narrowed by an expression',
    { podSelector: { matchLabels: { a: '1' } } },
    { podSelector: { matchLabels: { a: '1' }, matchExpressions: [{}] } },
    ['podSelector'],
  ],
  [
    'quantities by what they say',
    container({ resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }),
    container({ resources: { limits: { cpu: '1', memory: '1Gi' } } }),
    [],
  ],
  [
    'other quantities',
    container({ resources: { requests: { memory: '1Gi' } } }),
    container({ resources: { requests: { memory: '2Gi' } } }),
    ['containers[engine].resources.requests.memory'],
  ],
  ['what only looks like a quantity', { data: { a: '1000m' } }, { data: { a: '1' } }, ['data.a']],
  [
    'a container that another added',
    container({}),
    {
      containers: [
        { name: 'mesh', image: 'b' },
        { name: 'engine', image: 'a' },
      ],
    },
    [],
  ],
  [
    'a container that is gone',
    container({}),
    { containers: [{ name: 'mesh' }] },
    ['containers[engine]'],
  ],
  [
    'a container with another image',
    container({}),
    container({ image: 'b' }),
    ['containers[engine].image'],
  ],
  [
    'an argument more of a container that another stands beside',
    container({ args: ['x'] }),
    { containers: [{ name: 'mesh' }, { name: 'engine', image: 'a', args: ['x', 'y'] }] },
    ['containers[engine].args'],
  ],
  [
    'an owner that another added',
    { ownerReferences: [{ uid: '1' }] },
    { ownerReferences: [{ uid: '2' }, { uid: '1' }] },
    [],
  ],
])('%s', (_, desired, live, paths) => {
  expect(missing(desired, live)).toEqual(paths);
});

const json = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);

test('an object that is as desired has no difference', () => {
  fc.assert(fc.property(json, (value) => expect(missing(value, value)).toEqual([])));
});

test('a field has no merge key by having the name of something that every object has', () => {
  expect(missing({ toString: [[]] }, { toString: [[]] })).toEqual([]);
});

test('additional entries of maps are no difference, and removed entries are one', () => {
  const map = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.integer(), { minKeys: 1 });
  fc.assert(
    fc.property(map, map, (desired, more) => {
      expect(missing({ map: desired }, { map: { ...more, ...desired } })).toEqual([]);
      for (const key of Object.keys(desired)) {
        const { [key]: _, ...less } = desired;
        expect(missing({ map: desired }, { map: less })).toEqual([`map.${key}`]);
      }
    }),
  );
});
