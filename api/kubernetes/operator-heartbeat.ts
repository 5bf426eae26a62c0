/**
 * Heartbeat of the operator, from its Lease: conditions are only as recent as its last look. Its age counts from the moment at
 * which this process saw a renewal, since machines' clocks differ. Only for the first renewal, which may be old, its own time
 * counts.
 */
import type { V1Lease } from '@kubernetes/client-node';
import type { KubeObject } from '../../base/kube/kube.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';

export type Lease = Omit<V1Lease, 'apiVersion' | 'kind' | 'metadata'> & KubeObject;

/** Maximum time without a renewal. The lease runs out after 15 s and another process takes it within 20 s more. */
const silenceMaxMs = 60_000;

export class OperatorHeartbeat {
  readonly #timers: Pick<Timers, 'nowMs' | 'wallMs'>;
  #heardAtMs: number | undefined;

  constructor(timers: Pick<Timers, 'nowMs' | 'wallMs'> = systemTimers) {
    this.#timers = timers;
  }

  /** Handles a Lease from the watch; `undefined`: it is gone. */
  see(lease: Lease | undefined): void {
    if (!lease?.spec?.holderIdentity) return;
    const nowMs = this.#timers.nowMs();
    // client-node's type says Date, JSON has a string.
    const ageMs = this.#timers.wallMs() - Date.parse(String(lease.spec.renewTime));
    this.#heardAtMs = this.#heardAtMs === undefined ? nowMs - Math.max(0, ageMs) : nowMs;
  }

  /** False if this process has not seen a renewal. */
  get alive(): boolean {
    return this.#heardAtMs !== undefined && this.#timers.nowMs() - this.#heardAtMs < silenceMaxMs;
  }
}
