/**
 * Checks by its head alone that a file is this replica's data file: engine, cluster, index, number of replicas. Reads at most
 * 96 KiB, writes nothing, takes no lock. The engine verifies the rest of the file.
 */
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LedgerState } from '../../domain/import-files/ledger-state.ts';
import {
  TIGERBEETLE_FILE_SIZE_MIN,
  TIGERBEETLE_FORMAT_VERSION,
  type TigerBeetleHead,
} from '../../domain/import-files/tigerbeetle-head.ts';
import { DataProblem, type AgentFinding } from '../../domain/data-problem.ts';
import { DataFileError } from '../log/errors.ts';
import { HEAD_SIZE, recogniseHead, type DataFileHead } from '../log/inspect.ts';
import { LOG_OFFSET } from '../log/layout.ts';
import type { Expected } from './identity.ts';

export interface Finding {
  readonly reason: AgentFinding;
  readonly message: string;
}

/**
 * Returns what is wrong with the file, or `undefined` when it is this replica's. Rejects with the system's error when it
 * cannot be read, and with DataFileError `unknown_format_version` for a newer release's file: neither means that it is bad.
 */
export async function examine(path: string, expected: Expected): Promise<Finding | undefined> {
  const head = await readHead(path);
  if (head === undefined) {
    return { reason: DataProblem.missing, message: `${path} does not exist` };
  }
  const found = judge(head.bytes, head.sizeBytes, expected);
  return found && { reason: found.reason, message: `${path}: ${found.message}` };
}

/** Returns why a file of this size with these first bytes is not the expected one. Pure. */
export function judge(
  bytes: Uint8Array,
  sizeBytes: number,
  expected: Expected,
): Finding | undefined {
  let recognised: ReturnType<typeof recogniseHead>;
  try {
    recognised = recogniseHead(bytes);
  } catch (error) {
    if (!(error instanceof DataFileError) || error.code === 'unknown_format_version') throw error;
    return { reason: DataProblem.damaged, message: error.message };
  }
  return recognised.kind === 'tigerbeetle'
    ? judgeTigerBeetle(recognised.head, sizeBytes, expected)
    : judgeBuiltin(recognised.head, sizeBytes, expected);
}

function judgeBuiltin(
  head: DataFileHead,
  sizeBytes: number,
  expected: Expected,
): Finding | undefined {
  const other = difference({ engine: 'Builtin', ...head.identity }, expected);
  if (other !== undefined) return other;
  if (head.logSizeBytes === 0) {
    return foreign('it is an exported file; `restore` makes a data file for a replica from it');
  }
  return tooShort(sizeBytes, LOG_OFFSET + head.logSizeBytes);
}

function judgeTigerBeetle(
  head: TigerBeetleHead,
  sizeBytes: number,
  expected: Expected,
): Finding | undefined {
  if (head.formatVersion !== TIGERBEETLE_FORMAT_VERSION) {
    throw new DataFileError(
      'unknown_format_version',
      `The data file is TigerBeetle's, of format version ${head.formatVersion}; this release knows ${TIGERBEETLE_FORMAT_VERSION}. Use a newer release.`,
    );
  }
  return (
    difference({ engine: 'TigerBeetle', ...head }, expected) ??
    tooShort(sizeBytes, Math.max(head.sizeBytes, TIGERBEETLE_FILE_SIZE_MIN))
  );
}

/** Names every field that differs, so that mixed-up volumes are recognized at once. */
function difference(found: Expected, expected: Expected): Finding | undefined {
  const names = {
    engine: 'engine',
    clusterId: 'cluster',
    replicaIndex: 'replica',
    replicaCount: 'replica-count',
  } as const;
  const differing = (Object.keys(names) as (keyof typeof names)[]).filter(
    (key) => found[key] !== expected[key],
  );
  if (differing.length === 0) return undefined;
  const list = (identity: Expected) =>
    differing.map((key) => `${names[key]}=${identity[key]}`).join(' ');
  return foreign(`it belongs to another replica: ${list(found)}; expected ${list(expected)}`);
}

function tooShort(sizeBytes: number, least: number): Finding | undefined {
  if (sizeBytes >= least) return undefined;
  return {
    reason: DataProblem.damaged,
    message: `it was cut off: it has ${sizeBytes} bytes, and by its head it needs at least ${least}`,
  };
}

const foreign = (message: string): Finding => ({ reason: DataProblem.foreign, message });

/** The state with which a data file of the built-in engine begins; `undefined` for a file of TigerBeetle. */
export async function stateOfFile(path: string): Promise<LedgerState | undefined> {
  const head = await readHead(path);
  const found = head && recogniseHead(head.bytes);
  if (found?.kind !== 'ledgerhouse') return undefined;
  const { op, stateHash } = found.head.checkpoint;
  return { op, stateHash: Buffer.from(stateHash).toString('hex') };
}

async function readHead(
  path: string,
): Promise<{ bytes: Uint8Array; sizeBytes: number } | undefined> {
  const file = await open(path, 'r').catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // If the folder is missing, the volume is not mounted, and nothing is known of its files.
    await stat(dirname(path));
    return undefined;
  });
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    const bytes = new Uint8Array(Math.min(HEAD_SIZE, size));
    let done = 0;
    while (done < bytes.length) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return { bytes: bytes.subarray(0, done), sizeBytes: size };
  } finally {
    await file.close();
  }
}
