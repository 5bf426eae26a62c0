/** Asks the replicas for a replacement until the leader has made it. */
import { sleep, type Timers } from '../../base/timers.ts';
import { ask } from '../peers/ask.ts';
import { helloFrame, type Hello } from '../peers/peer-messages.ts';
import type { PeerSecurity } from '../peers/peer-security.ts';
import { SILENT_MIN_MS } from './replace-member.ts';
import { replacementOf, type Replacement } from './questions.ts';

interface AskLeaderOptions {
  /** Identity of the lost replica, which asks. */
  readonly hello: Hello;
  /** Addresses of all replicas, in order. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly security: PeerSecurity;
  readonly peerUrl: string;
  readonly timers: Timers;
  readonly timeoutMs: number;
  /** Called with the reason for waiting whenever it changes. */
  readonly onWaiting: (reason: string) => void;
}

/** The leader refused the replacement. The message is for the person who ran the command. */
export class ReplacementRefused extends Error {
  override readonly name = 'ReplacementRefused';
  readonly code = 'replacement_refused';
}

const AGAIN_MS = 500;
/** A replica that is still heard of after this time is not lost. */
const LIVES_MS = 2 * SILENT_MIN_MS;

/** Resolves with etcd's initial-cluster. Rejects with ReplacementRefused. */
export async function askLeader(options: AskLeaderOptions): Promise<string> {
  const { timers, timeoutMs, onWaiting } = options;
  const begunAtMs = timers.nowMs();
  const untilMs = begunAtMs + timeoutMs;
  for (let told = ''; ;) {
    const answer = await askAll(options);
    if (answer.outcome === 'added') return answer.initialCluster;
    if (answer.outcome === 'refused') throw new ReplacementRefused(answer.reason);
    const { reason } = answer;
    if (answer.outcome === 'lives' && timers.nowMs() - begunAtMs > LIVES_MS)
      throw new ReplacementRefused(reason);
    if (timers.nowMs() >= untilMs)
      throw new ReplacementRefused(
        `the member was not replaced within ${timeoutMs / 1000} s: ${reason}`,
      );
    // The reason names how long ago something was heard, which changes all the time; so outcomes are compared.
    if (answer.outcome !== told) onWaiting(reason);
    told = answer.outcome;
    await sleep(timers, AGAIN_MS);
  }
}

/** Returns the leader's answer; without a leader, why no replica leads. */
async function askAll({
  hello,
  addresses,
  security,
  peerUrl,
}: AskLeaderOptions): Promise<Exclude<Replacement, { outcome: 'not_leading' }>> {
  let reason = 'no replica leads';
  for (const [replica, address] of addresses.entries()) {
    if (replica === hello.replica) continue;
    const question = { ask: 'replace', peerUrl };
    try {
      const json = await ask({ address, security, hello: helloFrame(hello), question });
      const answer = replacementOf(json);
      if (answer !== undefined && answer.outcome !== 'not_leading') return answer;
    } catch (error) {
      reason = `no replica leads; ${address.host}:${address.port}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return { outcome: 'wait', reason };
}
