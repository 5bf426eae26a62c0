/**
 * Prevents endless applies of fields that admission changes back. An apply notes on the StatefulSet the differences that it
 * was to correct: if they are the same afterwards, it had no effect, and admission's changes are left alone.
 */
import { annotations } from '../../domain/names.ts';
import type { StatefulSet } from '../../domain/kinds.ts';
import { differences, type Difference } from '../manifests/diff.ts';
import { digestOf } from '../../base/digest.ts';

/** Maximum applies in one period, if each leads to another result. */
const appliesMax = 5;
/** Period after which a difference that harms the database is tried again: the policy may be gone. */
const periodMs = 10 * 60_000;

interface Attempt {
  readonly desired: string;
  readonly differs: string;
  readonly period: number;
  readonly times: number;
}

interface Verdict {
  /** The object to apply; `undefined` if nothing is to be applied. */
  readonly apply: StatefulSet | undefined;
  /** Differences that are left alone. */
  readonly harmless: readonly Difference[];
  /** Differences that must not exist, but persist after an apply. */
  readonly grave: readonly Difference[];
}

/** Compares `desired` without the note with `live`, which is `undefined` before the first apply. */
export function judge(desired: StatefulSet, live: StatefulSet | undefined, nowMs: number): Verdict {
  const nothing = { harmless: [], grave: [] };
  if (live === undefined) return { ...nothing, apply: desired };
  const found = differences(desired, live);
  const note = live.metadata.annotations?.[annotations.attempt];
  if (found.length === 0) {
    // The earlier differences are gone: the next ones are new.
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
    // After a new apply, the differences are not final until the next look.
    grave: same ? grave : [],
  };
}

/**
 * Harmless are image mirrors and descriptive fields: everything except replicas, images, selectors and the inputs of processes.
 */
function isHarmless({ path, desired, live }: Difference): boolean {
  if (path.endsWith('.image')) return tailOf(String(desired)) === tailOf(String(live));
  if (path.startsWith('metadata.annotations') || path.includes('.metadata.annotations'))
    return true;
  return !/^spec\.(replicas$|selector)|\.(args|command|env)(\[|$)|\]$/.test(path);
}

/** Name and tag of an image, without registry, folders and an added digest. */
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
