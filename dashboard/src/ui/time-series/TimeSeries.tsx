import { memo, useState, type ReactNode } from 'react';
import { mostOf, shownFigure, type Figure, type Unit } from '../../lib/figures.ts';
import { plainTime } from '../../lib/time.ts';
import { useZone } from '../../shell/context.ts';
import { Card } from '../Page.tsx';
import { Table, table } from '../Table.tsx';
import { pathOf, type Gap, type Line } from './lines.ts';
import { Plot } from './Plot.tsx';
import { scaleOf } from './scale.ts';
import { useSpan } from './span.ts';
import styles from './TimeSeries.module.css';

interface Props {
  readonly title: string;
  readonly about?: ReactNode;
  readonly unit: Unit;
  readonly lines: readonly Line[];
  readonly limit?: { readonly name: string; readonly value: Figure };
  readonly gaps: readonly Gap[];
}

/** A limit above this many times the highest value would press the lines to the ground: it is written, not drawn. */
const limitMax = 8;

/** Lines over time, with their values at the cursor, and the same as a table. */
export function TimeSeries({ title, about, unit, lines, limit, gaps }: Props) {
  const { cursor, axis } = useSpan();
  const most = mostOf(lines.flatMap(({ values }) => mostOf(values))) ?? 0;
  const bound = limit?.value ?? null;
  const isDrawn = bound !== null && bound <= most * limitMax;
  const { top, ticks } = scaleOf(isDrawn ? Math.max(most, bound) : most, unit);
  const shown = (values: readonly Figure[], step: number) =>
    shownFigure(values[step] ?? null, unit);
  const at = cursor ?? axis.count - 1;
  return (
    <Card title={title} actions={<CursorTime />}>
      <figure className={styles.figure} aria-label={title}>
        <ul className={styles.legend}>
          {lines.map(({ name, values, look }, index) => (
            <li key={name}>
              <Swatch className={look === 'bad' ? styles.bad : lookOf(index)} />
              {name} <strong>{shown(values, at)}</strong>
            </li>
          ))}
          {limit !== undefined && bound !== null && (
            <li>
              <Swatch className={styles.limit} />
              {limit.name} <strong>{shownFigure(bound, unit)}</strong>
              {!isDrawn && '(above the chart)'}
            </li>
          )}
        </ul>
        <Plot
          title={title}
          gaps={gaps}
          words={(step) =>
            lines.map(({ name, values }) => `${name} ${shown(values, step)}`).join(', ') ||
            'no figures'
          }
          side={ticks.map((tick) => (
            <span
              key={tick}
              className={styles.tick}
              style={{ insetBlockEnd: `${(100 * tick) / top}%` }}
            >
              <span>{shownFigure(tick, unit)}</span>
            </span>
          ))}
        >
          {isDrawn && <Limit part={bound / top} />}
          <Paths lines={lines} top={top} />
        </Plot>
        <div className={styles.about}>
          {lines.length === 0 && <p>No figures in this span.</p>}
          {about}
        </div>
        <Points
          title={title}
          heads={lines.map(({ name }) => name)}
          cells={(step) => lines.map(({ values }) => shown(values, step))}
        />
      </figure>
    </Card>
  );
}

interface PathsProps {
  readonly lines: readonly Line[];
  readonly top: number;
}

/** Drawn again only for other figures, not for each step of the cursor. */
const Paths = memo(({ lines, top }: PathsProps) =>
  lines.map(({ name, values, look }, index) => (
    <path
      key={name}
      className={look === 'bad' ? styles.bad : lookOf(index)}
      d={pathOf(values, top)}
    />
  )),
);

const Limit = ({ part }: { readonly part: number }) => (
  <line
    className={styles.limit}
    x1="0"
    x2="1000"
    y1={1_000 - part * 1_000}
    y2={1_000 - part * 1_000}
  />
);

const looks = 8;
const lookOf = (index: number): string | undefined => styles[`line${index % looks}`];

const Swatch = ({ className }: { readonly className: string | undefined }) => (
  <svg className={`${styles.swatch} ${className ?? ''}`} viewBox="0 0 22 8" aria-hidden>
    <path d="M1 4h20" />
  </svg>
);

/** The time of the shown values. */
export function CursorTime() {
  const { axis, cursor } = useSpan();
  const zone = useZone();
  const ms = axis.fromMs + (cursor ?? axis.count - 1) * axis.stepMs;
  return (
    <span className={styles.at}>
      {cursor === undefined && 'at the end, '}
      {plainTime(new Date(ms), zone)}
    </span>
  );
}

interface PointsProps {
  readonly title: string;
  readonly heads: readonly string[];
  readonly cells: (step: number) => readonly string[];
}

/** The points of a chart as a table, drawn when it is opened. */
export function Points({ title, heads, cells }: PointsProps) {
  const [open, setOpen] = useState(false);
  const { axis } = useSpan();
  const zone = useZone();
  return (
    <details className={styles.points} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={`As a table: ${title}`}>As a table</summary>
      {open && (
        <Table
          label={`${title} as a table`}
          heads={['Time', ...heads.map((name) => ({ title: name, end: true as const }))]}
        >
          {Array.from({ length: axis.count }, (_, step) => (
            <tr key={step}>
              <td className={table.keep}>
                {plainTime(new Date(axis.fromMs + step * axis.stepMs), zone)}
              </td>
              {cells(step).map((text, index) => (
                <td key={heads[index]} className={`${table.end} ${table.keep}`}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </details>
  );
}
