import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProtoError, ProtoReader, ProtoWriter } from './protobuf.ts';

test('the examples of the format’s own description', () => {
  expect(new ProtoWriter().uint(1, 150).finish().toString('hex')).toBe('089601');
  expect(new ProtoWriter().bytes(2, Buffer.from('testing')).finish().toString('hex')).toBe(
    '120774657374696e67',
  );
  const inner = new ProtoWriter().uint(1, 150);
  expect(new ProtoWriter().message(3, inner).finish().toString('hex')).toBe('1a03089601');
});

test('written messages are read back, and default values are left out', () => {
  const field = fc.integer({ min: 1, max: 2000 });
  const value = fc.oneof(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), fc.uint8Array());
  fc.assert(
    fc.property(fc.array(fc.tuple(field, value)), (fields) => {
      const writer = new ProtoWriter();
      for (const [number, content] of fields) {
        if (typeof content === 'bigint') writer.uint(number, content);
        else writer.bytes(number, content);
      }
      const reader = new ProtoReader(writer.finish());
      const left = fields.filter(([, content]) =>
        typeof content === 'bigint' ? content !== 0n : content.length > 0,
      );
      for (const [number, content] of left) {
        expect(reader.next()).toBe(true);
        expect(reader.field).toBe(number);
        expect(typeof content === 'bigint' ? reader.id() : Uint8Array.from(reader.bytes())).toEqual(
          content,
        );
      }
      expect(reader.next()).toBe(false);
    }),
  );
});

test('counts are read as they were written, up to the largest, and further ones are refused', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (count) => {
      const asNumber = new ProtoWriter().uint(1, count).finish();
      expect(asNumber.equals(new ProtoWriter().uint(1, BigInt(count)).finish())).toBe(true);
      const reader = new ProtoReader(new ProtoWriter().uintAlways(1, count).finish());
      reader.next();
      expect(reader.number()).toBe(count);
    }),
  );
  for (const further of [1n << 53n, (1n << 64n) - 1n]) {
    const reader = new ProtoReader(new ProtoWriter().uint(1, further).finish());
    reader.next();
    expect(() => reader.number()).toThrow(ProtoError);
  }
});

test('fields that nobody asks for are passed over, those of other wire types too', () => {
  const bytes = Buffer.from('0d010203041101020304050607081a01612007', 'hex');
  const reader = new ProtoReader(bytes);
  const fields: number[] = [];
  while (reader.next()) {
    fields.push(reader.field);
    if (reader.field === 4) expect(reader.number()).toBe(7);
  }
  expect(fields).toEqual([1, 2, 3, 4]);
});

test('a message that is cut off anywhere is refused or shorter, never read beyond its end', () => {
  const whole = new ProtoWriter()
    .uint(1, 1n << 60n)
    .bytes(2, Buffer.alloc(300, 7))
    .finish();
  for (let end = 1; end < whole.length; end += 1) {
    const reader = new ProtoReader(whole.subarray(0, end));
    let fields = 0;
    try {
      while (reader.next())
        fields += reader.field === 1 ? Number(reader.id() > 0n) : reader.bytes().length;
      expect(fields).toBe(1);
    } catch (error) {
      expect(error).toBeInstanceOf(ProtoError);
    }
  }
});

test('a copy of a part of a message does not keep the message, nor its alignment', () => {
  const reader = new ProtoReader(new ProtoWriter().bytes(1, Buffer.alloc(300, 7)).finish());
  reader.next();
  const copy = reader.bytes().slice();
  expect([copy.byteOffset, copy.buffer.byteLength]).toEqual([0, 300]);
});
