import { inspectDataFile, type DataFileInspection } from '../log/inspect.ts';
import { formatRelease } from '../wire/release.ts';
import type { Verb } from './verb.ts';

export const inspect: Verb = {
  name: 'inspect',
  summary: "Print and verify a data file; recognises a TigerBeetle data file's head too.",
  arguments: ['path'],
  flags: [{ name: 'json', value: undefined, help: 'print JSON' }],
  async run(input) {
    const [path = ''] = input.arguments;
    const found = await inspectDataFile(path);
    process.stdout.write(
      input.flag('json') === undefined
        ? lines(found).join('\n') + '\n'
        : `${JSON.stringify(found, toJson, 2)}\n`,
    );
    return found.kind === 'ledgerhouse' && found.errors.length > 0 ? 1 : 0;
  },
};

function lines(found: DataFileInspection): string[] {
  if (found.kind === 'tigerbeetle') {
    const values = Object.entries(found.head).map(
      ([name, value]) => `${name}=${String(toJson(name, value))}`,
    );
    return ['kind=tigerbeetle', `size_bytes=${found.sizeBytes}`, ...values];
  }
  const { identity, checkpoint, release, logSizeBytes } = found.head;
  return [
    'kind=ledgerhouse',
    `cluster=${identity.clusterId}`,
    `replica=${identity.replicaIndex}`,
    `replica_count=${identity.replicaCount}`,
    `release=${formatRelease(release)}`,
    `checkpoint_op=${checkpoint.op}`,
    `checkpoint_timestamp=${checkpoint.timestamp}`,
    `state_hash=${Buffer.from(checkpoint.stateHash).toString('hex')}`,
    `last_op=${found.lastOp}`,
    `log_entries=${found.logEntries}`,
    `log_size_bytes=${logSizeBytes}`,
    `torn_tail=${found.tornTail}`,
    `size_bytes=${found.sizeBytes}`,
    `whole_superblock_copies=${found.wholeCopies}`,
    ...found.tables.map(
      ({ table, sections, bytes }) => `table=${table} sections=${sections} bytes=${bytes}`,
    ),
    ...found.errors.map(({ code, message }) => `error=${code} ${message}`),
    found.errors.length === 0 ? 'verified=true' : 'verified=false',
  ];
}

/** Replacer for JSON: a bigint becomes a decimal string, bytes become hexadecimal. */
function toJson(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}
