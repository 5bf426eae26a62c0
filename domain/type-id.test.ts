import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isTypeId, newTypeId, typeIdOfUuid, uuidOfTypeId } from './type-id.ts';

// The specification's own examples: https://github.com/jetify-com/typeid/blob/main/spec/valid.yml
test.each([
  ['00000000-0000-0000-0000-000000000000', 'prefix_00000000000000000000000000'],
  ['00000000-0000-0000-0000-000000000001', 'prefix_00000000000000000000000001'],
  ['00000000-0000-0000-0000-00000000000a', 'prefix_0000000000000000000000000a'],
  ['00000000-0000-0000-0000-000000000010', 'prefix_0000000000000000000000000g'],
  ['00000000-0000-0000-0000-000000000020', 'prefix_00000000000000000000000010'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', 'prefix_7zzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['0110c853-1d09-52d8-d73e-1194e95b5f19', 'prefix_0123456789abcdefghjkmnpqrs'],
  ['01890a5d-ac96-774b-bcce-b302099a8057', 'prefix_01h455vb4pex5vsknk084sn02q'],
])('%s is %s', (uuid, typeId) => {
  expect(typeIdOfUuid('prefix', uuid)).toBe(typeId);
  expect(typeIdOfUuid('prefix', uuid.toUpperCase())).toBe(typeId);
  expect(uuidOfTypeId('prefix', typeId)).toBe(uuid);
});

test('every UUID has a TypeID of its own, in the same order', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (one, other) => {
      const [a, b] = [typeIdOfUuid('db', one), typeIdOfUuid('db', other)];
      expect(isTypeId('db', a)).toBe(true);
      expect(a < b).toBe(one < other);
      expect(a === b).toBe(one === other);
      expect(uuidOfTypeId('db', a)).toBe(one);
    }),
  );
});

test.each([
  ['another prefix', 'key_01h455vb4pex5vsknk084sn02q'],
  ['no prefix', '01h455vb4pex5vsknk084sn02q'],
  ['a first digit beyond 128 bits', 'db_81h455vb4pex5vsknk084sn02q'],
  ['a digit too few', 'db_01h455vb4pex5vsknk084sn02'],
  ['a digit too many', 'db_01h455vb4pex5vsknk084sn02q0'],
  ['a letter that base 32 leaves out', 'db_01h455vb4pex5vsknk084sn02l'],
  ['capitals', 'db_01H455VB4PEX5VSKNK084SN02Q'],
  ['a line after it', 'db_01h455vb4pex5vsknk084sn02q\n'],
])('%s is no TypeID of a database', (_, text) => {
  expect(isTypeId('db', text)).toBe(false);
  expect(uuidOfTypeId('db', text)).toBeUndefined();
});

test.each(['', 'payments', '01890a5dac96774bbcceb302099a805', '01890a5dac96774bbcceb302099a805g'])(
  'nothing is made of %j, which is no UUID',
  (text) => {
    expect(() => typeIdOfUuid('db', text)).toThrow(RangeError);
  },
);

test('new ones are TypeIDs, each another', () => {
  const made = Array.from({ length: 100 }, () => newTypeId('job'));
  expect(made.every((id) => isTypeId('job', id))).toBe(true);
  expect(new Set(made).size).toBe(100);
});
