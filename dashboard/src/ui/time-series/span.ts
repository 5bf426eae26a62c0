/** State that all charts of a page share: the steps of time, the cursor on them, and the events. */
import { createContext, use } from 'react';
import { stepAt, type Axis } from './scale.ts';
import { stepsOf, type Selection, type TimeSpan } from './selection.ts';

export interface Mark {
  readonly at: string;
  readonly text: string;
}

interface Span {
  readonly axis: Axis;
  readonly marks: readonly Mark[];
  /** Time that the reader points at; it is shown on all charts. */
  readonly cursorMs: number | undefined;
  readonly onCursor: (ms: number | undefined) => void;
  /** The part of the axis that the reader marks; it is shown on all charts. */
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection | undefined) => void;
  /** Makes a part of the axis the whole. */
  readonly onZoom: (span: TimeSpan) => void;
}

const noSpan: Span = {
  axis: { fromMs: 0, stepMs: 1, count: 1 },
  marks: [],
  cursorMs: undefined,
  onCursor: () => {},
  selection: undefined,
  onSelect: () => {},
  onZoom: () => {},
};

export const SpanContext = createContext<Span>(noSpan);

export function useSpan() {
  const span = use(SpanContext);
  const { axis, cursorMs, selection } = span;
  return {
    ...span,
    cursor: cursorMs === undefined ? undefined : stepAt(axis, cursorMs),
    selected: selection === undefined ? undefined : stepsOf(axis, selection),
  };
}

/** A mark counts as pointed at within this part of the axis, on either side. */
const nearPart = 0.01;

/** Marks near a time, the newest first. */
export function marksNear(marks: readonly Mark[], axis: Axis, ms: number): readonly Mark[] {
  const near = Math.max(axis.stepMs / 2, axis.stepMs * axis.count * nearPart);
  return marks.filter(({ at }) => Math.abs(Date.parse(at) - ms) <= near);
}
