/**
 * Proof of what an organization's events say, from the base to the head. Nothing is removed before it is whole: who can write to the
 * store could hide the event that chose a longer retention for a while, and put it back after the removal. A bounded number of events is
 * checked at a time, and each once: the proof is stored with a seal. An older one that somebody puts back makes the way longer.
 */
import type { AuditChain, ChainHead, ChainProof } from './audit-chain.ts';
import { retentionSaidBy, type ChainEnds, type ChainFault } from './audit-ends.ts';
import { AuditWalk, walkTo } from './audit-walk.ts';
import { uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

export interface ProvenChain {
  readonly proof: ChainProof;
  /** Number of events that were checked now. */
  readonly walked: number;
}

/** Goes on with the proof by at most `limit` events. */
export async function proveChain(
  db: Reader,
  chain: AuditChain,
  { head, base }: ChainEnds,
  limit: number,
): Promise<ProvenChain | ChainFault> {
  const { organizationId } = head;
  const keyless = faultOfKeyless(head, base.sequence + 1n);
  if (keyless !== null) return keyless;
  const stored = await storedProof(db, chain, organizationId);
  const before: ChainProof =
    stored !== undefined && stored.sequence >= base.sequence ? stored : { ...base, chosenAt: null };
  if (before.sequence > head.sequence) {
    const missing = head.sequence + 1n;
    const detail = `Events from ${missing} on are missing: event ${before.sequence} was there before.`;
    return { code: 'missing', sequence: missing, detail };
  }
  const walk = new AuditWalk(chain, head, before);
  const most = before.sequence + BigInt(limit);
  let proof = before;
  await walkTo(db, organizationId, walk, most < head.sequence ? most : head.sequence, (event) => {
    const { sequence, hash } = event;
    const days = retentionSaidBy(event);
    const said = days === undefined ? {} : { retentionDays: days, chosenAt: event.occurredAt };
    proof = { ...proof, ...said, sequence, hash };
  });
  if (walk.fault === null) walk.end();
  if (walk.fault !== null) return walk.fault;
  if (proof !== before) await storeProof(db, chain, proof);
  return { proof, walked: Number(proof.sequence - before.sequence) };
}

/** Events without a keyed hash prove nothing, so that they stay, with all after them. */
function faultOfKeyless({ keyedFrom }: ChainHead, first: bigint): ChainFault | null {
  if (keyedFrom !== null && keyedFrom <= first) return null;
  return {
    code: 'unkeyed',
    sequence: first,
    detail: `Event ${first} has no keyed hash, so that nothing proves how old it is.`,
  };
}

async function storedProof(
  db: Reader,
  chain: AuditChain,
  organizationId: string,
): Promise<ChainProof | undefined> {
  const row = await db
    .selectFrom('eventProofs')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { sequence, hash, retentionDays, chosenAt, keyVersion, mac } = row;
  const proof = { organizationId, sequence: BigInt(sequence), hash, retentionDays, chosenAt };
  return chain.isProof(proof, { keyVersion, mac }) ? proof : undefined;
}

async function storeProof(db: Reader, chain: AuditChain, proof: ChainProof): Promise<void> {
  const { organizationId, hash, retentionDays, chosenAt } = proof;
  const sequence = String(proof.sequence);
  const columns = { sequence, hash, retentionDays, chosenAt, ...chain.sealProof(proof) };
  await db
    .insertInto('eventProofs')
    .values({ organizationId: uuidOf(organizationId), ...columns })
    .onConflict((conflict) => conflict.column('organizationId').doUpdateSet(columns))
    .execute();
}
