/**
 * Whether the operator lives, by its Lease: what conditions say is the truth of when it last looked. Judged by when a renewal
 * was seen here, since clocks of machines differ; only the first one, which may be of any age, by its own time.
 */
import type { V1Lease } from '@kubernetes/client-node';
import type { KubeObject } from '../../base/kube/kube.ts';

export type Lease = Omit<V1Lease, 'apiVersion' | 'kind' | 'metadata'> & KubeObject;

/** The lease runs out after 15 s and another takes it within 20 s more: beyond this nobody is coming. */
const silenceMaxMs = 60_000;

export class OperatorHeartbeat {
  readonly #nowMs: () => number;
  #heardAtMs: number | undefined;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** A Lease as the watch brought it; `undefined`: it is gone. */
  see(lease: Lease | undefined): void {
    if (!lease?.spec?.holderIdentity) return;
    const nowMs = this.#nowMs();
    // client-node's type says Date, JSON has a string.
    const renewedAtMs = Date.parse(String(lease.spec.renewTime));
    this.#heardAtMs = this.#heardAtMs === undefined ? Math.min(nowMs, renewedAtMs) : nowMs;
  }

  /** Never, when no renewal was seen since this process began. */
  get alive(): boolean {
    return this.#heardAtMs !== undefined && this.#nowMs() - this.#heardAtMs < silenceMaxMs;
  }
}
