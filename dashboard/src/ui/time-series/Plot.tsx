import { useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { plainTime, zoneName } from '../../lib/time.ts';
import { useZone } from '../../shell/context.ts';
import type { Gap } from './lines.ts';
import { isAtRest } from './pointer.ts';
import { percentAt, timeTicks } from './scale.ts';
import { Selected, SelectedActions } from './Selected.tsx';
import { timesOf } from './selection.ts';
import { marksNear, useSpan } from './span.ts';
import styles from './TimeSeries.module.css';
import { useSelecting } from './use-selecting.ts';

interface Props {
  readonly title: string;
  readonly gaps: readonly Gap[];
  /** The values of a step in words, for people who do not see the chart. */
  readonly words: (step: number) => string;
  /** Drawn in a box of 1,000 by 1,000. */
  readonly children: ReactNode;
  /** Beside the box. */
  readonly side: ReactNode;
  readonly rows?: number;
}

const keySteps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
};

/**
 * A box over time: the cursor follows the pointer or the arrow keys, and is the same on all charts of the page. A part of it is marked by
 * dragging, or with Shift and the arrow keys.
 */
export function Plot({ title, gaps, words, children, side, rows }: Props) {
  const { axis, cursor, onCursor, selected } = useSpan();
  const selecting = useSelecting(title);
  const zone = useZone();
  const slider = useRef<HTMLDivElement>(null);
  const last = axis.count - 1;
  const at = cursor ?? last;
  const middleOf = (step: number) => axis.fromMs + (step + 0.5) * axis.stepMs;
  const onKeyDown = (event: KeyboardEvent) => {
    if (selecting.onKey(event)) return;
    if (event.key === 'Escape') onCursor(undefined);
    const by = keySteps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const step = Math.min(last, Math.max(0, at + by));
    onCursor(middleOf(step));
    selecting.onStep(step, event.shiftKey);
  };
  const stepUnder = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const step = Math.floor(((event.clientX - left) / width) * axis.count);
    return Math.min(last, Math.max(0, step));
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const step = stepUnder(event);
    onCursor(middleOf(step));
    selecting.onDown(event, step);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (isAtRest(event)) return;
    const step = stepUnder(event);
    onCursor(middleOf(step));
    selecting.onMove(step);
  };
  const inWords = (ms: number) => plainTime(new Date(ms), zone);
  const time = axis.fromMs + at * axis.stepMs;
  const marked = selected === undefined ? undefined : timesOf(axis, selected);
  const box = (
    <div
      ref={slider}
      role="slider"
      tabIndex={0}
      aria-label={`Time on the chart ${title}`}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={[
        `${inWords(time)} ${zoneName(new Date(time), zone)}: ${words(at)}`,
        ...(marked === undefined
          ? []
          : [`marked from ${inWords(marked.fromMs)} to ${inWords(marked.toMs)}`]),
      ].join('; ')}
      className={styles.plot}
      style={rows === undefined ? {} : { blockSize: `${rows * 30}px` }}
      onKeyDown={onKeyDown}
      onBlur={() => onCursor(undefined)}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={selecting.onUp}
      onPointerCancel={selecting.onCancel}
      onPointerLeave={(event) => {
        if (!isAtRest(event) || !isKeyboardOnChart()) onCursor(undefined);
      }}
    >
      {gaps.map(({ begin, end }) => (
        <span
          key={begin}
          className={styles.gap}
          style={{
            insetInlineStart: `${(100 * begin) / axis.count}%`,
            inlineSize: `${(100 * (end - begin)) / axis.count}%`,
          }}
        />
      ))}
      {side}
      <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden>
        {children}
      </svg>
      <Times />
      <Selected />
      <Cursor />
    </div>
  );
  return (
    <div className={styles.frame}>
      {box}
      <SelectedActions title={title} onDone={() => slider.current?.focus()} />
    </div>
  );
}

const isKeyboardOnChart = () => document.activeElement?.role === 'slider';

/** A time nearer to an edge than this, in percent, would stick out. */
const edge = 3;

function Times() {
  const { axis, marks } = useSpan();
  const zone = useZone();
  return (
    <>
      {timeTicks(axis, zone).map(({ ms, text }, index) => {
        const percent = percentAt(axis, ms);
        const isShown = percent >= edge && percent <= 100 - edge;
        return isShown ? (
          <span
            key={ms}
            className={styles.time}
            data-spare={index % 2 === 1 || undefined}
            style={{ insetInlineStart: `${percent}%` }}
          >
            {text}
          </span>
        ) : null;
      })}
      {marks.map(({ at, text }) => (
        <span
          key={`${at}${text}`}
          className={styles.mark}
          style={{ insetInlineStart: `${percentAt(axis, Date.parse(at))}%` }}
        />
      ))}
    </>
  );
}

const shownMarks = 3;

/** The line at the cursor, and the events there. */
function Cursor() {
  const { axis, marks, cursor, cursorMs } = useSpan();
  if (cursor === undefined || cursorMs === undefined) return null;
  const percent = (100 * (cursor + 0.5)) / axis.count;
  const near = marksNear(marks, axis, cursorMs);
  return (
    <>
      <span className={styles.cursor} style={{ insetInlineStart: `${percent}%` }} />
      {near.length > 0 && (
        <div className={percent < 50 ? styles.atEnd : styles.atBegin}>
          {near.slice(0, shownMarks).map(({ at, text }) => (
            <p key={`${at}${text}`}>{text}</p>
          ))}
          {near.length > shownMarks && <p>and {near.length - shownMarks} more</p>}
        </div>
      )}
    </>
  );
}
