/** Counts of reigns by the reasons for which they began and ended. */
import type { ClaimReason, EndReason, ReignCounts } from '../log/replicated/reasons.ts';
import type { Role } from '../log/replicated/replicated-log.ts';

export class Reigns implements ReignCounts {
  readonly begun = new Map<ClaimReason, number>();
  readonly ended = new Map<EndReason, number>();

  roleChanged(role: Role): void {
    if (role.kind === 'leading') this.begun.set(role.why, (this.begun.get(role.why) ?? 0) + 1);
    else this.ended.set(role.why, (this.ended.get(role.why) ?? 0) + 1);
  }
}
