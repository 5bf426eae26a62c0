/**
 * The small records beside the blocks (keys.ts): JSON, so that `etcdctl get` shows them. Decoding throws ReplicatedLogError
 * for a record that does not parse: it is foreign or damaged.
 */
import { ReplicatedLogError } from './errors.ts';

/** Identity of the log and its beginning. The first leader writes it, once. */
export interface Meta {
  /** u128, decimal. */
  readonly clusterId: string;
  /** Counts the logs that this database has had: a restore begins a new one. */
  readonly incarnation: number;
  readonly replicaCount: number;
  /** Last op in the state with which the log begins, its timestamp (ns, decimal) and the state's hash (hex). */
  readonly op: number;
  readonly timestamp: string;
  readonly stateHash: string;
}

export interface Lead {
  readonly view: number;
  readonly replica: number;
  /** Nonce of the process, which recognizes by it a claim of its own whose answer was lost. */
  readonly nonce: string;
}

/** Blocks below this sequence may be deleted. The transaction that deletes them raises it. */
interface Floor {
  readonly sequence: number;
}

/** A replica's last durable checkpoint. */
export interface CheckpointMark {
  readonly sequence: number;
  readonly op: number;
  readonly stateHash: string;
}

export function encodeRecord(record: Meta | Lead | Floor | CheckpointMark): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(record));
}

type Shape<T> = { readonly [Field in keyof T]: T[Field] extends number ? 'number' : 'string' };

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

const metaShape: Shape<Meta> = {
  clusterId: 'string',
  incarnation: 'number',
  replicaCount: 'number',
  op: 'number',
  timestamp: 'string',
  stateHash: 'string',
};
const leadShape: Shape<Lead> = { view: 'number', replica: 'number', nonce: 'string' };
const floorShape: Shape<Floor> = { sequence: 'number' };
const checkpointShape: Shape<CheckpointMark> = {
  sequence: 'number',
  op: 'number',
  stateHash: 'string',
};

export const decodeMeta = (bytes: Uint8Array): Meta => decode('meta', metaShape, bytes);
export const decodeLead = (bytes: Uint8Array): Lead => decode('lead', leadShape, bytes);
export const decodeFloor = (bytes: Uint8Array): Floor => decode('floor', floorShape, bytes);
export const decodeCheckpoint = (bytes: Uint8Array): CheckpointMark =>
  decode('ck', checkpointShape, bytes);

function decode<T>(name: string, shape: Shape<T>, bytes: Uint8Array): T {
  let value: Record<string, unknown> | undefined;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>;
  } catch {
    value = undefined;
  }
  const fits = Object.entries(shape).every(([field, type]) => {
    const found = value?.[field];
    return typeof found === type && (typeof found !== 'number' || isCount(found));
  });
  if (fits) return value as T;
  throw new ReplicatedLogError(
    'log_foreign',
    `The key '${name}' in etcd was not written by this log. Check that this etcd belongs to this database alone.`,
  );
}
