/** Peers' JSON messages: their writers, and their readers with checks. */
import type { PageName } from '../ledger/page.ts';
import {
  type HeldRanges,
  type PageRange,
  RANGE_PAGES_MAX,
  RANGES_MAX,
  type TableRanges,
} from '../log/page-ranges.ts';
import { SEAL_SIZE } from '../log/seal.ts';
import { FrameKind, jsonFrame } from './frames.ts';
import type { MissingRequest, PeerHeartbeat, Withdrawal } from './peer-link.ts';

/** The sender of a connection and its database. */
export interface Hello {
  /** u128, decimal. */
  readonly cluster: string;
  readonly incarnation: number;
  readonly replica: number;
}

type Fields = Readonly<Record<string, unknown>>;

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;
const isDigits = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{1,20}$/.test(value);
const fieldsOf = (json: unknown): Fields =>
  typeof json === 'object' && json !== null ? (json as Fields) : {};

export function helloOf(json: unknown): Hello | undefined {
  const { cluster, incarnation, replica } = fieldsOf(json);
  if (typeof cluster !== 'string' || !isCount(incarnation) || !isCount(replica)) return undefined;
  return { cluster, incarnation, replica };
}

/** The first frame of every connection. */
export const helloFrame = (hello: Hello): Buffer => jsonFrame(FrameKind.hello, hello);

export function encodeHeartbeat(heartbeat: PeerHeartbeat): string {
  return JSON.stringify({ ...heartbeat, memberId: heartbeat.memberId?.toString() });
}

export function heartbeatOf(json: unknown): PeerHeartbeat | undefined {
  const {
    replica,
    memberId,
    op,
    fence,
    leftFence,
    canLead,
    loading,
    clockAgrees,
    stateHash,
    wallMs,
    rules,
    startedMs,
    sendsMissing,
  } = fieldsOf(json);
  if (!isCount(replica) || !isCount(op) || typeof canLead !== 'boolean') return undefined;
  if (typeof stateHash !== 'string' || !/^[0-9a-f]{32}$/.test(stateHash)) return undefined;
  if (typeof wallMs !== 'number' || !Number.isFinite(wallMs)) return undefined;
  if (rules !== undefined && !isCount(rules)) return undefined;
  if (startedMs !== undefined && !Number.isFinite(startedMs)) return undefined;
  if (memberId !== undefined && !isDigits(memberId)) return undefined;
  if (fence !== undefined && !isCount(fence)) return undefined;
  if (leftFence !== undefined && !isCount(leftFence)) return undefined;
  if (loading !== undefined && typeof loading !== 'boolean') return undefined;
  if (clockAgrees !== undefined && typeof clockAgrees !== 'boolean') return undefined;
  if (sendsMissing !== undefined && typeof sendsMissing !== 'boolean') return undefined;
  return {
    replica,
    memberId: memberId === undefined ? undefined : BigInt(memberId),
    op,
    fence,
    leftFence,
    canLead,
    loading,
    clockAgrees,
    stateHash,
    wallMs,
    rules,
    startedMs: startedMs === undefined ? undefined : Number(startedMs),
    sendsMissing,
  };
}

export const encodeWithdrawal = ({ client, request }: Withdrawal): string =>
  JSON.stringify({ client: String(client), request });

export function withdrawalOf(json: unknown): Withdrawal | undefined {
  const { client, request } = fieldsOf(json);
  if (typeof client !== 'string' || !/^\d{1,39}$/.test(client)) return undefined;
  if (typeof request !== 'string' || !/^[0-9a-f]{32}$/.test(request)) return undefined;
  return { client: BigInt(client), request };
}

export function floorOf(json: unknown): number | undefined {
  const { floor } = fieldsOf(json);
  return isCount(floor) ? floor : undefined;
}

/** Maximum number of pages that are asked for at a time: 1 MiB of them. */
export const PAGES_MAX = 256;

/** The request for pages of rows. */
export const pagesFrame = (pages: readonly PageName[]): Buffer =>
  jsonFrame(FrameKind.rows, { pages: pages.map(({ table, page }) => [table, page]) });

export function pagesOf(json: unknown): readonly PageName[] | undefined {
  const { pages } = fieldsOf(json);
  if (!Array.isArray(pages) || pages.length > PAGES_MAX) return undefined;
  const names = pages.map(nameOf);
  return names.every((name) => name !== undefined) ? names : undefined;
}

function nameOf(json: unknown): PageName | undefined {
  if (!Array.isArray(json)) return undefined;
  const [table, page] = json as readonly unknown[];
  return isCount(table) && isCount(page) ? { table, page } : undefined;
}

/** The request for a state without the pages that are held: seals in base64, `null` for none. */
export function missingFrame({ floor, held }: MissingRequest): Buffer {
  const tables = held.tables.map(({ table, ranges }) => [
    table,
    ranges.map(({ pages, seal }) => [pages, seal === undefined ? null : base64Of(seal)]),
  ]);
  return jsonFrame(FrameKind.missing, { floor, key: base64Of(held.key), tables });
}

export function missingOf(json: unknown): MissingRequest | undefined {
  const { floor, key: keyText, tables: lists } = fieldsOf(json);
  const key = sealOf(keyText);
  if (!isCount(floor) || key === undefined || !Array.isArray(lists)) return undefined;
  const tables = lists.map(tableRangesOf);
  if (!tables.every((one) => one !== undefined)) return undefined;
  const count = tables.reduce((sum, { ranges }) => sum + ranges.length, 0);
  return count > RANGES_MAX ? undefined : { floor, held: { key, tables } satisfies HeldRanges };
}

function tableRangesOf(json: unknown): TableRanges | undefined {
  if (!Array.isArray(json)) return undefined;
  const [table, list] = json as readonly unknown[];
  if (!isCount(table) || !Array.isArray(list)) return undefined;
  const ranges = list.map(rangeOf);
  return ranges.every((one) => one !== undefined) ? { table, ranges } : undefined;
}

function rangeOf(json: unknown): PageRange | undefined {
  if (!Array.isArray(json)) return undefined;
  const [pages, text] = json as readonly unknown[];
  if (!isCount(pages) || pages < 1 || pages > RANGE_PAGES_MAX) return undefined;
  if (text === null) return { pages };
  const seal = sealOf(text);
  return seal && { pages, seal };
}

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Parses a seal, or a key of seals, which has the same size. */
function sealOf(json: unknown): Uint8Array | undefined {
  if (typeof json !== 'string') return undefined;
  const bytes = new Uint8Array(Buffer.from(json, 'base64'));
  return bytes.length === SEAL_SIZE ? bytes : undefined;
}

/** Parses the number of bytes in an `end` frame. */
export function bytesOf(json: unknown): number | undefined {
  const { bytes } = fieldsOf(json);
  return isCount(bytes) ? bytes : undefined;
}
