/**
 * Removes the member of a replica that lost its volume from etcd's cluster, and adds a new one in its place as a learner,
 * which gets its vote only when it has the log (member-keeper.ts). The old member goes first: its promises are lost with its
 * volume, so it must never vote again, and a cluster with a dead voter and a new one would need one more of the others for a
 * majority.
 *
 * A repeated call, after a crash between any two steps, goes on where the last one stopped.
 */
import { memberName } from '../../domain/names.ts';
import { EtcdError, type EtcdMember, type EtcdMembership } from '../log/replicated/etcd.ts';
import { initialCluster } from './initial-cluster.ts';
import type { Replacement } from './questions.ts';

interface ReplaceOptions {
  readonly membership: EtcdMembership;
  readonly replica: number;
  /** URL at which the others will reach the new member. */
  readonly peerUrl: string;
  /** How long that replica's engine has been silent, in ms. */
  readonly silentMs: number;
}

/** Minimum silence before a replacement. A live replica sends a heartbeat every 50 ms. */
export const SILENT_MIN_MS = 3000;
const CALL_TIMEOUT_MS = 5000;

/** Makes the replacement. If etcd refuses or does not answer, the caller must ask again. */
export async function replaceMember(options: ReplaceOptions): Promise<Replacement> {
  try {
    return await replace(options);
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    return { outcome: 'wait', reason: `etcd says: ${error.message}` };
  }
}

async function replace({
  membership,
  replica,
  peerUrl,
  silentMs,
}: ReplaceOptions): Promise<Replacement> {
  const call = { timeoutMs: CALL_TIMEOUT_MS };
  const members = await membership.members(call);
  const isOwn = ({ name, peerUrls }: EtcdMember): boolean =>
    name === memberName(replica) || (name === '' && peerUrls.includes(peerUrl));
  const own = members.find(isOwn);
  if (own !== undefined && isExpected(own, peerUrl))
    return { outcome: 'added', initialCluster: initialCluster(members, { replica, peerUrl }) };
  if (silentMs < SILENT_MIN_MS) return lives(replica, silentMs);
  const other = members.find((member) => member.isLearner && !isOwn(member));
  if (other !== undefined) {
    const which = other.name === '' ? (other.peerUrls[0] ?? '') : other.name;
    return {
      outcome: 'wait',
      reason: `${which} is being replaced; only one replica is replaced at a time`,
    };
  }
  const taken = members.find((member) => member.peerUrls.includes(peerUrl) && !isOwn(member));
  if (taken !== undefined) {
    const reason = `${peerUrl} is the URL of member ${taken.name}: give the URL of replica ${replica}`;
    return { outcome: 'refused', reason };
  }
  if (own !== undefined) await membership.removeMember(own.id, call);
  const now = await membership.addLearner(peerUrl, call);
  return { outcome: 'added', initialCluster: initialCluster(now, { replica, peerUrl }) };
}

/** The answer about a replica whose last heartbeat came `silentMs` ago. */
export const lives = (replica: number, silentMs: number): Replacement => ({
  outcome: 'lives',
  reason: `replica ${replica} is alive: its last heartbeat was ${Math.round(silentMs)} ms ago. Only a lost replica is replaced.`,
});

/** Whether this is the new member, added but not yet started. */
const isExpected = ({ name, isLearner, peerUrls }: EtcdMember, peerUrl: string): boolean =>
  name === '' && isLearner && peerUrls.includes(peerUrl);
