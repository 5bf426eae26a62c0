/**
 * How much a replica of the built-in engine holds and what its processors are enough for, by rules that have room to spare
 * (docs/operating/capacity.md, docs/decisions/0160-capacity-by-rule.md).
 */
import type { CatalogSpec, EngineName } from '../custom-resources.ts';
import { ledgerMemoryLimit } from '../ledger-memory.ts';
import { isReplicatedByEtcd } from './resolve.ts';

type Size = CatalogSpec['sizes'][number];

export interface Capacity {
  readonly transfersMax: number;
  readonly accountsMax: number;
  /** The part that limits the number of transfers. */
  readonly limitedBy: 'memory' | 'storage';
}

const mib = 2 ** 20;
const gib = 2 ** 30;

/** Bytes of memory for each transfer. 4 to 5 of them stay in memory for ever; the others are for young rows, for reads, and for starts. */
const memoryOfTransfer = 35;
/** 7 to 11 of these stay in memory for ever; the others are for accounts that were used lately, and for young ones. */
const memoryOfAccount = 17;
/** The least that stays of each. */
const staying = { transfer: 4, account: 7 } as const;
/** Accounts get no more than this part of it. */
const accountsPart = 1 / 2;

const volumeOfTransfer = 190;
/** Its row, and up to 17 bytes of its index. */
const volumeOfAccount = 150;
/** Bytes that a data file takes from the start. */
const emptyFile = 256 * mib;
/** The part of a volume that is used at most. */
const usedPart = 5 / 6;
/** The part of that for accounts, at least: they get what transfers leave. */
const accountsVolumePart = 1 / 10;

/** The engine gives each row a number of 31 bits. */
const rowsMax = 2_000_000_000;

interface Chosen {
  readonly engine: EngineName;
  readonly replicas: number;
  readonly size: string;
  readonly storageGb: number;
}

/** Records that each replica of the database holds; `undefined` if the engine is another one, or the catalog lacks the size. */
export function capacityOf(catalog: CatalogSpec, chosen: Chosen): Capacity | undefined {
  const size = catalog.sizes.find(({ id }) => id === chosen.size);
  if (size === undefined || chosen.engine !== 'Builtin') return undefined;
  const { engine, replicas, storageGb } = chosen;
  const memory = heldByMemory(size);
  const room = roomOf(storageGb * gib, isReplicatedByEtcd(engine, replicas));
  const transfers = rounded((room * (1 - accountsVolumePart)) / volumeOfTransfer);
  const transfersMax = Math.min(memory.transfers, transfers);
  const accounts = rounded((room - transfersMax * volumeOfTransfer) / volumeOfAccount);
  return {
    transfersMax,
    accountsMax: Math.min(memory.accounts, accounts),
    limitedBy: transfers < memory.transfers ? 'storage' : 'memory',
  };
}

export interface SizeCapacity {
  readonly transfersMax: number;
  readonly accountsMax: number;
  /** GiB of the volume with which a single replica holds so many. */
  readonly storageGb: number;
  /** Transfers a second for which the requested processors are enough, in full requests to one replica. */
  readonly transfersPerSecond: number;
}

/** Capacity of a size, with a volume that is large enough. */
export function capacityOfSize(size: Size): SizeCapacity {
  const { transfers: transfersMax, accounts: accountsMax } = heldByMemory(size);
  const ofTransfers = transfersMax * volumeOfTransfer;
  const bytes = Math.max(
    ofTransfers / (1 - accountsVolumePart),
    ofTransfers + accountsMax * volumeOfAccount,
  );
  return {
    transfersMax,
    accountsMax,
    storageGb: Math.ceil((emptyFile + bytes / usedPart) / gib),
    transfersPerSecond: rounded(Math.min(size.cpuMillis * ratePerMilli, rateOfOneThread)),
  };
}

/** Whether the memory of a size is more than what records keep of it for ever. More than its capacity may fit, and then waits for the volume. */
export const fitsMemory = (
  { memoryMib }: Pick<Size, 'memoryMib'>,
  { transfers, accounts }: { readonly transfers: number; readonly accounts: number },
): boolean =>
  transfers * staying.transfer + accounts * staying.account <= ledgerMemoryLimit(memoryMib * mib);

/** Two thirds of what a core was measured to execute, in thousandths of a core. */
const ratePerMilli = 200;
/** One thread executes all transfers of a replica, however many cores there are. */
const rateOfOneThread = 300_000;

function heldByMemory({ memoryMib }: Size) {
  const bytes = ledgerMemoryLimit(memoryMib * mib);
  return {
    transfers: rounded(Math.min(rowsMax, bytes / memoryOfTransfer)),
    accounts: rounded(Math.min(rowsMax, (bytes * accountsPart) / memoryOfAccount)),
  };
}

/** Bytes of a volume that rows and indexes may take. */
function roomOf(volumeBytes: number, hasMember: boolean): number {
  const room = volumeBytes - emptyFile - (hasMember ? memberBytes(volumeBytes) : 0);
  return Math.max(0, room) * usedPart;
}

/** What the member of etcd on the same volume may take: its quota, and as much again (engine/log/shared-volume.ts). */
const memberBytes = (volumeBytes: number): number =>
  2 * Math.min(Math.max(volumeBytes / 8, 256 * mib), 2 * gib);

/** Two digits, rounded down: a rule knows no more. */
function rounded(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return Math.floor(value / unit) * unit;
}
