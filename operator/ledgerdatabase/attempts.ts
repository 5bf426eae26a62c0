/**
 * Applying over and over what admission changes back would never end. So an apply notes on the StatefulSet what it was to put
 * right: where the same differs afterwards, the apply had no effect there, and what admission made is left alone.
 */
import { annotations } from '../../domain/names.ts';
import type { StatefulSet } from '../../domain/kinds.ts';
import { differences, type Difference } from '../manifests/diff.ts';
import { digestOf } from '../manifests/intent.ts';

/** So often in one period, where each apply leads to something else. */
const appliesMax = 5;
/** What keeps a database from being what it should be is tried again so often: the policy may be gone. */
export const periodMs = 10 * 60_000;

interface Attempt {
  readonly desired: string;
  readonly differs: string;
  readonly period: number;
  readonly times: number;
}

export interface Verdict {
  /** What is to be applied; `undefined` when nothing is. */
  readonly apply: StatefulSet | undefined;
  /** What differs, and is left alone. */
  readonly harmless: readonly Difference[];
  /** What differs although it was applied, and must not. */
  readonly grave: readonly Difference[];
}

/** `desired` without the note; `live` as it is, or `undefined` before the first apply. */
export function judge(desired: StatefulSet, live: StatefulSet | undefined, nowMs: number): Verdict {
  const nothing = { harmless: [], grave: [] };
  if (live === undefined) return { ...nothing, apply: desired };
  const found = differences(desired, live);
  const note = live.metadata.annotations?.[annotations.attempt];
  if (found.length === 0) {
    // What differed no longer does: what differs next is new.
    return { ...nothing, apply: note === undefined ? undefined : desired };
  }
  const before = parse(note);
  const now = {
    desired: digestOf(desired.spec),
    differs: digestOf(found),
    period: Math.floor(nowMs / periodMs),
  };
  const grave = found.filter((one) => !isHarmless(one));
  const samePeriod = before?.desired === now.desired && before.period === now.period;
  const same = before?.desired === now.desired && before.differs === now.differs;
  const tried = same && (grave.length === 0 || samePeriod);
  if (tried || (samePeriod && (before?.times ?? 0) >= appliesMax)) {
    return { apply: undefined, harmless: found.filter(isHarmless), grave };
  }
  const times = samePeriod ? (before?.times ?? 0) + 1 : 1;
  return {
    apply: withNote(desired, { ...now, times }),
    harmless: [],
    // What was without effect until now is not known to be otherwise before it has been looked at.
    grave: same ? grave : [],
  };
}

/** Images from a mirror, and what describes rather than decides: all but replicas, images and what processes are started with. */
function isHarmless({ path, desired, live }: Difference): boolean {
  if (path.endsWith('.image')) return tailOf(String(desired)) === tailOf(String(live));
  if (path.startsWith('metadata.annotations') || path.includes('.metadata.annotations'))
    return true;
  return !/^spec\.(replicas$|selector)|\.(args|command|env)(\[|$)|\]$/.test(path);
}

/** Name and tag without the registry, the folders and a digest that was added. */
function tailOf(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  return name.includes(':') ? (name.split('@')[0] ?? name) : name;
}

const withNote = (set: StatefulSet, { desired, differs, period, times }: Attempt): StatefulSet => ({
  ...set,
  metadata: {
    ...set.metadata,
    annotations: {
      ...set.metadata.annotations,
      [annotations.attempt]: [desired, differs, period, times].join('.'),
    },
  },
});

function parse(note: string | undefined): Attempt | undefined {
  const [desired, differs, period, times] = (note ?? '').split('.');
  if (desired === undefined || differs === undefined) return undefined;
  return { desired, differs, period: Number(period), times: Number(times) };
}
