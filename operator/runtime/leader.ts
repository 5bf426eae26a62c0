/**
 * Leader election: of several processes, the one leads that is named in a Lease and renews it.
 *
 * Clocks of different machines are never compared. A candidate takes the lease when it has watched the same record for that
 * record's lease duration by its own clock. A leader counts from the moment *before* its last successful renewal was sent,
 * and stops leading `renewTimeoutMs` after it, which is less than the lease's duration: the rest is for writes in flight.
 * Every write of the lease names the resource version it was based on, so of two competing writes one is refused.
 *
 * No clock can stop a write that had passed the fence when its process froze, and goes out when it wakes. Such a write is an
 * old decision, not a wrong one: deletions name the object's uid, creations fail if the object exists, and if it was applied
 * over a newer decision, the new leader sees that and applies its own again.
 *
 * The lease needs a `Kube` of its own: unfenced, and outside the work's rate limit. A call that hangs is aborted early enough
 * for two more; if it arrives after all, its resource version is outdated by then, or the record is ours.
 */
import type { Logger } from 'pino';
import { assert } from '../../base/assert.ts';
import { startDeadline } from '../../base/deadline.ts';
import { resources } from '../../domain/kinds.ts';
import { ApiError, type Kube, type KubeObject } from '../../base/kube/kube.ts';
import { sleep, systemTimers, type Timers } from '../../base/timers.ts';

interface LeaderOptions {
  readonly kube: Kube;
  readonly namespace: string;
  readonly name: string;
  /** Unique identity of this process: the pod name and a random suffix. */
  readonly identity: string;
  readonly logger: Logger;
  readonly onStarted: () => void;
  /** Called once. From then on this process never leads again: it should end. */
  readonly onLost: () => void;
  /** All three in ms, by default 15,000, 10,000 and 2,000. */
  readonly leaseDurationMs?: number;
  readonly renewTimeoutMs?: number;
  readonly retryPeriodMs?: number;
  readonly timers?: Timers;
  readonly random?: () => number;
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}
type Lease = KubeObject & { readonly spec?: LeaseSpec };

const fieldManager = 'ledgerhouse-operator';

export class LeaderElection {
  readonly #options: LeaderOptions;
  readonly #timers: Timers;
  readonly #leaseDurationMs: number;
  readonly #renewTimeoutMs: number;
  readonly #retryPeriodMs: number;
  readonly #stopping = new AbortController();
  /** The last seen record, and when it was first seen, by our clock. */
  #seen: { readonly lease: Lease; readonly sinceMs: number } | undefined;
  #state: 'candidate' | 'leader' | 'ended' = 'candidate';
  /** Until when this process leads without another renewal. */
  #leadsUntilMs = 0;
  #cancelExpiry = () => {};
  #loop: Promise<void> | undefined;

  constructor(options: LeaderOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewTimeoutMs = options.renewTimeoutMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
    assert(
      this.#renewTimeoutMs < this.#leaseDurationMs,
      'a leader gives up before others take over',
    );
    assert(this.#retryPeriodMs < this.#renewTimeoutMs, 'a leader can try to renew more than once');
    assert(this.#leaseDurationMs >= 1_000, 'a lease lasts whole seconds');
  }

  start(): void {
    assert(this.#loop === undefined, 'an election starts once');
    this.#loop = this.#run();
  }

  /** Decides by the clock and not by timers, so that a process that was frozen does not lead when it wakes. */
  isLeader(): boolean {
    return this.#state === 'leader' && this.#timers.nowMs() < this.#leadsUntilMs;
  }

  /** Identity of another holder of the lease, if one is known. */
  get holder(): string | undefined {
    return this.#seen?.lease.spec?.holderIdentity;
  }

  /**
   * Releases the lease, so that another process takes over at once. Work must have ended before: afterwards nothing may
   * write. If the API server cannot be reached, the lease expires by itself.
   */
  async stop(): Promise<void> {
    this.#end();
    this.#stopping.abort();
    await this.#loop;
    if (this.#seen?.lease.spec?.holderIdentity !== this.#options.identity) return;
    try {
      await this.#write(this.#seen.lease, { holderIdentity: '', leaseDurationSeconds: 1 });
      this.#options.logger.info('lease released');
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'lease not released');
    }
  }

  async #run(): Promise<void> {
    while (this.#state !== 'ended') {
      try {
        await this.#step();
      } catch (error) {
        this.#options.logger.warn({ err: error }, 'lease not written or read');
      }
      // Candidates spread their waits; the leader keeps its period.
      const spread = this.#state === 'leader' ? 0 : (this.#options.random ?? Math.random)() * 0.2;
      await sleep(this.#timers, this.#retryPeriodMs * (1 + spread), this.#stopping.signal);
    }
  }

  async #step(): Promise<void> {
    if (this.#state === 'leader' && !this.isLeader()) {
      // The process was frozen for so long that writes may have been refused: work in progress must not go on.
      this.#lose('not renewed in time');
      return;
    }
    if (this.#state === 'leader' && this.#seen !== undefined) {
      try {
        await this.#take(this.#seen.lease);
        return;
      } catch (error) {
        // The lease has changed or is gone, perhaps by our own write whose answer was lost: its current content decides.
        if (!(error instanceof ApiError && (error.status === 409 || error.status === 404)))
          throw error;
      }
    }
    const lease = await this.#read();
    if (this.#state === 'ended') return;
    const { holderIdentity = '' } = (lease ?? this.#seen?.lease)?.spec ?? {};
    const free = holderIdentity === '' || holderIdentity === this.#options.identity;
    // The wait applies also when the lease was deleted: its holder may not have noticed yet.
    if (free || this.#runOut()) await this.#take(lease);
    else if (this.#state === 'leader') this.#lose(`held by ${holderIdentity}`);
  }

  async #read(): Promise<Lease | undefined> {
    const { kube, namespace, name } = this.#options;
    const lease = await this.#inTime(
      kube.read<Lease>({ resource: resources.lease, namespace, name }),
    );
    if (lease !== undefined && versionOf(lease) !== versionOf(this.#seen?.lease)) {
      this.#seen = { lease, sinceMs: this.#timers.nowMs() };
    }
    return lease;
  }

  /** Whether the record has not changed for its whole lease duration. */
  #runOut(): boolean {
    if (this.#seen === undefined) return true;
    const seconds = this.#seen.lease.spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? this.#leaseDurationMs : seconds * 1_000;
    return this.#timers.nowMs() - this.#seen.sinceMs >= durationMs;
  }

  /** Writes this process into the lease: takes a new one, takes over another's, or renews its own. */
  async #take(lease: Lease | undefined): Promise<void> {
    const { identity } = this.#options;
    const sentAtMs = this.#timers.nowMs();
    const renewTime = microTime(this.#timers.wallMs());
    const renewal: LeaseSpec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1_000),
      renewTime,
    };
    const renewed = lease?.spec?.holderIdentity === identity;
    const written = await this.#write(
      lease,
      renewed
        ? renewal
        : {
            ...renewal,
            acquireTime: renewTime,
            leaseTransitions: lease === undefined ? 0 : (lease.spec?.leaseTransitions ?? 0) + 1,
          },
    );
    this.#seen = { lease: written, sinceMs: sentAtMs };
    this.#lead(sentAtMs);
  }

  #write(lease: Lease | undefined, spec: LeaseSpec): Promise<Lease> {
    const { kube, namespace, name } = this.#options;
    const { apiVersion, kind } = resources.lease;
    if (lease === undefined) {
      const first = { apiVersion, kind, metadata: { namespace, name }, spec };
      return this.#inTime(kube.create<Lease>(resources.lease, first, { fieldManager }));
    }
    const { resourceVersion } = lease.metadata;
    return this.#inTime(
      kube.mergePatch<Lease>(
        { resource: resources.lease, namespace, name },
        { metadata: { resourceVersion }, spec },
        { fieldManager },
      ),
    );
  }

  async #inTime<T>(call: Promise<T>): Promise<T> {
    const deadline = startDeadline(this.#timers, this.#renewTimeoutMs / 3);
    const late = new Promise<never>((_, reject) => {
      deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason as Error));
    });
    try {
      return await Promise.race([call, late]);
    } finally {
      deadline.clear();
    }
  }

  #lead(sentAtMs: number): void {
    if (this.#state === 'ended') return;
    this.#leadsUntilMs = sentAtMs + this.#renewTimeoutMs;
    const leftMs = this.#leadsUntilMs - this.#timers.nowMs();
    // The answer may have arrived after the lease's time was over.
    if (leftMs <= 0) {
      if (this.#state === 'leader') this.#lose('renewed too late');
      return;
    }
    this.#cancelExpiry();
    this.#cancelExpiry = this.#timers.after(leftMs, () => this.#lose('not renewed in time'));
    if (this.#state === 'leader') return;
    this.#state = 'leader';
    this.#options.logger.info({ identity: this.#options.identity }, 'leads');
    this.#options.onStarted();
  }

  #lose(why: string): void {
    if (this.#state === 'ended') return;
    this.#end();
    this.#stopping.abort();
    this.#options.logger.error({ why }, 'lease lost');
    this.#options.onLost();
  }

  #end(): void {
    this.#state = 'ended';
    this.#cancelExpiry();
  }
}

const versionOf = (lease: Lease | undefined): string | undefined => lease?.metadata.resourceVersion;

/** Formats a time as Kubernetes' MicroTime, with six digits. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
