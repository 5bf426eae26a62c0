import { expect, test } from '@jest/globals';
import { Sealer } from './sealing.ts';
import { SigningKeys } from './signing-keys.ts';

const sealer = new Sealer(new SigningKeys([Buffer.alloc(32, 1)]));
const secret = 'whsec_c2VjcmV0';

test('a sealed text opens again and is unreadable until then', () => {
  const sealed = sealer.seal('whe_1', secret);
  expect(sealed.includes(secret)).toBe(false);
  expect(sealer.open('whe_1', sealed)).toBe(secret);
});

test('the same secret is never sealed the same', () => {
  expect(sealer.seal('whe_1', secret).equals(sealer.seal('whe_1', secret))).toBe(false);
});

test('moved to another row, with another key, or changed in any byte, it does not open', () => {
  const sealed = sealer.seal('whe_1', secret);
  expect(() => sealer.open('whe_2', sealed)).toThrow();
  expect(() => new Sealer(new SigningKeys([Buffer.alloc(32, 2)])).open('whe_1', sealed)).toThrow();
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    expect(() => sealer.open('whe_1', changed)).toThrow();
  }
});
