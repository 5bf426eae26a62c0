import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseStatsdLine } from './statsd.ts';

const own = 'cluster:000000000000000000000000000000ff,replica:2';

test('a line as TigerBeetle sends it', () => {
  expect(parseStatsdLine(`tb.message_bus_connections:3|g|#${own},peer:client_likely`)).toEqual({
    name: 'message_bus_connections',
    value: 3,
    type: 'gauge',
    clusterId: 255n,
    replicaIndex: 2,
    tags: { peer: 'client_likely' },
  });
  expect(
    parseStatsdLine(
      `tb.replica_request_us.count:12|c|#${own},operation:Operation.create_transfers`,
    ),
  ).toMatchObject({ name: 'replica_request_us.count', type: 'counter', value: 12 });
  expect(parseStatsdLine(`tb.clock_delta_ns:-12345|g|#${own}`)?.value).toBe(-12_345);
});

test.each([
  ['nothing', ''],
  ['no tags', 'tb.replica_status:0|g'],
  ['another prefix', `x.replica_status:0|g|#${own}`],
  ['a fraction', `tb.replica_status:0.5|g|#${own}`],
  ['a negative count', `tb.replica_request_us.count:-1|c|#${own}`],
  ['no number', `tb.replica_status:zero|g|#${own}`],
  ['a type that there is not', `tb.replica_status:0|h|#${own}`],
  ['no cluster', 'tb.replica_status:0|g|#replica:2'],
  ['a cluster in decimal', 'tb.replica_status:0|g|#cluster:255,replica:2'],
  ['no replica', 'tb.replica_status:0|g|#cluster:000000000000000000000000000000ff'],
  ['a tag twice', `tb.replica_status:0|g|#${own},peer:a,peer:b`],
  ['a tag without a value', `tb.replica_status:0|g|#${own},peer`],
  ['too many tags', `tb.replica_status:0|g|#${own},a:1,b:1,c:1,d:1,e:1,f:1,g:1`],
  ['a name that is too long', `tb.${'a'.repeat(81)}:0|g|#${own}`],
])('%s is no sample', (_, line) => {
  expect(parseStatsdLine(line)).toBeUndefined();
});

test('any input gives a valid sample or none', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('tb.', 'replica_status', ':', '0', '|g', '|c', '|#', ',', own, 'peer:x'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const sample = parseStatsdLine(pieces.join(''));
      if (sample === undefined) return;
      expect(sample.name).toMatch(/^[a-z][a-z0-9_.]*$/);
      expect(Number.isFinite(sample.value)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
