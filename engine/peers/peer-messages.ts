/** Peers' JSON messages: their writers, and their readers with checks. */
import type { PageName } from '../ledger/page.ts';
import { FrameKind, jsonFrame } from './frames.ts';
import type { PeerHeartbeat, Withdrawal } from './peer-link.ts';

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

/** Parses the number of bytes in an `end` frame. */
export function bytesOf(json: unknown): number | undefined {
  const { bytes } = fieldsOf(json);
  return isCount(bytes) ? bytes : undefined;
}
