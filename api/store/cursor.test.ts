import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Cursors } from './cursor.ts';
import { SigningKeys } from './signing-keys.ts';

const key = new SigningKeys([Buffer.alloc(32, 7)]);
const now = 1_795_000_000_000;
const cursors = new Cursors(key, () => now);
const list = { list: 'databases', organizationId: 'org_1', sort: 'name', statuses: ['READY'] };

test('a position comes back as it was, whatever is in it', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 4 }), (position) => {
      expect(cursors.read(list, cursors.write(list, position))).toEqual(position);
    }),
  );
});

test('the order in which filters are named does not matter', () => {
  const other = { statuses: ['READY'], sort: 'name', organizationId: 'org_1', list: 'databases' };
  expect(cursors.read(other, cursors.write(list, ['a']))).toEqual(['a']);
});

test.each([
  ['another organization', { ...list, organizationId: 'org_2' }],
  ['another sort', { ...list, sort: 'createdAt' }],
  ['another filter', { ...list, statuses: ['READY', 'FAILED'] }],
  ['another list', { ...list, list: 'jobs' }],
])('a cursor is no good for %s', (_, other) => {
  expect(cursors.read(other, cursors.write(list, ['a', 'b']))).toBeUndefined();
});

test('a cursor that was changed in any character, cut or lengthened is none', () => {
  const cursor = cursors.write(list, ['payments', '01890a5d-ac96-774b-bcce-b302099a8057']);
  for (let index = 0; index < cursor.length; index += 1) {
    const other = cursor[index] === 'A' ? 'B' : 'A';
    expect(
      cursors.read(list, cursor.slice(0, index) + other + cursor.slice(index + 1)),
    ).toBeUndefined();
    expect(cursors.read(list, cursor.slice(0, index))).toBeUndefined();
  }
  expect(cursors.read(list, `${cursor}A`)).toBeUndefined();
  expect(cursors.read(list, `${cursor}=`)).toBeUndefined();
});

test.each(['', 'payments', '%%%', 'AAAA', '{"a":1}', '\u0000'])('%j is no cursor', (text) => {
  expect(cursors.read(list, text)).toBeUndefined();
});

test('a cursor is good for 24 hours', () => {
  const cursor = cursors.write(list, ['a']);
  const after = (ms: number) => new Cursors(key, () => now + ms).read(list, cursor);
  expect(after(24 * 3_600_000 - 1_000)).toEqual(['a']);
  expect(after(24 * 3_600_000 + 1_000)).toBeUndefined();
});

test('all processes with the key read it, no others', () => {
  const cursor = cursors.write(list, ['a']);
  expect(new Cursors(new SigningKeys([Buffer.alloc(32, 7)]), () => now).read(list, cursor)).toEqual(
    ['a'],
  );
  expect(
    new Cursors(new SigningKeys([Buffer.alloc(32, 8)]), () => now).read(list, cursor),
  ).toBeUndefined();
});
