import { expect, test } from '@jest/globals';
import { Cursors } from './cursor.ts';
import { Sealer } from './sealing.ts';
import { SigningKeys } from './signing-keys.ts';

const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const before = new SigningKeys([old]);
const after = new SigningKeys([fresh, old]);

test('a key has the same version wherever it stands, and another for no purpose', () => {
  const [oldVersion] = before.derive('one').map(({ version }) => version);
  const versions = after.derive('two').map(({ version }) => version);
  expect(oldVersion).toMatch(/^[0-9a-f]{8}$/);
  expect(versions[1]).toBe(oldVersion);
  expect(versions[0]).not.toBe(oldVersion);
});

test('a key for one purpose does not serve another', () => {
  const [one] = before.derive('one');
  const [two] = before.derive('two');
  expect(one.bytes.equals(two.bytes)).toBe(false);
});

test('data that an earlier key sealed and signed is still accepted after a rotation', () => {
  const sealed = new Sealer(before).seal('whe_1', 'secret');
  expect(new Sealer(after).open('whe_1', sealed)).toBe('secret');
  const cursor = new Cursors(before).write({ of: 'a' }, ['1']);
  expect(new Cursors(after).read({ of: 'a' }, cursor)).toEqual(['1']);
});

test('once the earlier key is gone, nothing that it sealed or signed is accepted', () => {
  const gone = new SigningKeys([fresh]);
  const sealed = new Sealer(before).seal('whe_1', 'secret');
  expect(() => new Sealer(gone).open('whe_1', sealed)).toThrow();
  const cursor = new Cursors(before).write({ of: 'a' }, ['1']);
  expect(new Cursors(gone).read({ of: 'a' }, cursor)).toBeUndefined();
});
