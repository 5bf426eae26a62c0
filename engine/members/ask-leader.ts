/** Asks for a replacement until whoever leads has made it. */
import { sleep, type Timers } from '../../base/timers.ts';
import { ask } from '../peers/ask.ts';
import { helloFrame, type Hello } from '../peers/peer-messages.ts';
import type { PeerSecurity } from '../peers/peer-security.ts';
import { SILENT_MIN_MS } from './replace-member.ts';
import { replacementOf, type Replacement } from './questions.ts';

export interface AskLeaderOptions {
  /** Who asks: the replica that is lost. */
  readonly hello: Hello;
  /** Of all replicas, in order. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly security: PeerSecurity;
  readonly peerUrl: string;
  readonly timers: Timers;
  readonly timeoutMs: number;
  /** Why it is not done yet; told when it changes. */
  readonly onWaiting: (reason: string) => void;
}

/** Told to whoever gave the command. */
export class ReplacementRefused extends Error {
  override readonly name = 'ReplacementRefused';
  readonly code = 'replacement_refused';
}

const AGAIN_MS = 500;
/** Who is heard of for so long after it was said to be lost is not. */
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
      throw new ReplacementRefused(`not within ${timeoutMs / 1000} s: ${reason}`);
    // How long ago something was heard changes all the time.
    if (answer.outcome !== told) onWaiting(reason);
    told = answer.outcome;
    await sleep(timers, AGAIN_MS);
  }
}

/** What the one that leads says; else why none of them does. */
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
