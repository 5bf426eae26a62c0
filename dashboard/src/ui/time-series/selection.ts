/** A part of the time axis that a reader marks on a chart, by dragging or with Shift and the arrow keys. */
import { stepAt, type Axis } from './scale.ts';

export interface Selection {
  /** The chart on which it is made. */
  readonly title: string;
  /** Where it was begun, and where it is now: the middle of a step each. */
  readonly anchorMs: number;
  readonly headMs: number;
  readonly isDragged: boolean;
}

/** Steps from `begin` on and before `end`. */
interface Steps {
  readonly begin: number;
  readonly end: number;
}

/** The marked steps; `undefined`: one step only, which is a click, or none that the axis still has. */
export function stepsOf(axis: Axis, { anchorMs, headMs }: Selection): Steps | undefined {
  const [one, other] = [stepAt(axis, anchorMs), stepAt(axis, headMs)];
  if (one === undefined || other === undefined || one === other) return undefined;
  return { begin: Math.min(one, other), end: Math.max(one, other) + 1 };
}

export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export const timesOf = (axis: Axis, { begin, end }: Steps): TimeSpan => ({
  fromMs: axis.fromMs + begin * axis.stepMs,
  toMs: axis.fromMs + end * axis.stepMs,
});
