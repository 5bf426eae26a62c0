/** Computes how long a database ran within an hour, from its events. Pure. */
/** The store's trigger `running_noted` keeps these. */
export type RunningEvent =
  | 'database.ready'
  | 'database.restored'
  | 'database.resumed'
  | 'database.suspended'
  | 'database.delete_requested'
  | 'database.deleted';

interface RunningSeconds {
  /** Seconds for which the database's processes ran. */
  readonly compute: number;
  /** Seconds for which its volumes existed, including the time while it was stopped. */
  readonly storage: number;
}

interface State {
  readonly compute: boolean;
  readonly storage: boolean;
}

const states: Readonly<Record<RunningEvent, State>> = {
  'database.ready': { compute: true, storage: true },
  'database.restored': { compute: true, storage: true },
  'database.resumed': { compute: true, storage: true },
  'database.suspended': { compute: false, storage: true },
  // Counts from the acceptance of the deletion, not from the removal of the last volume.
  'database.delete_requested': { compute: false, storage: false },
  'database.deleted': { compute: false, storage: false },
};

export const hourMs = 3_600_000;

/**
 * Computes the use within an hour, in whole seconds, rounded up so that any use counts. `events`: of one database, in order: the
 * last one before the hour, if any, and all within it.
 */
export function runningSeconds(
  hour: Date,
  events: readonly { readonly type: RunningEvent; readonly occurredAt: Date }[],
): RunningSeconds {
  const start = hour.getTime();
  const end = start + hourMs;
  const ran = { compute: 0, storage: 0 };
  for (const [index, { type, occurredAt }] of events.entries()) {
    const from = Math.max(occurredAt.getTime(), start);
    const next = events[index + 1]?.occurredAt.getTime() ?? end;
    const ms = Math.max(Math.min(next, end) - from, 0);
    if (states[type].compute) ran.compute += ms;
    if (states[type].storage) ran.storage += ms;
  }
  return {
    compute: Math.ceil(ran.compute / 1_000),
    storage: Math.ceil(ran.storage / 1_000),
  };
}
