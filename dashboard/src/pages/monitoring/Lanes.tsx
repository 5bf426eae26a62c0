import { Card } from '../../ui/Page.tsx';
import { runsOf, type Gap } from '../../ui/time-series/lines.ts';
import { Plot } from '../../ui/time-series/Plot.tsx';
import { useSpan } from '../../ui/time-series/span.ts';
import { CursorTime, Points } from '../../ui/time-series/TimeSeries.tsx';
import chart from '../../ui/time-series/TimeSeries.module.css';
import type { Lane, ReplicaState } from './charts.ts';
import styles from './Monitoring.module.css';

const words: Readonly<Record<NonNullable<ReplicaState>, string>> = {
  leads: 'leads',
  up: 'up',
  waits: 'recovers or waits for a leader',
  down: 'no answer',
};
const wordOf = (state: ReplicaState | undefined): string =>
  state === null || state === undefined ? 'no figures' : words[state];

/** Parts of a lane’s height: the states differ not only by colour. */
const heights: Readonly<Record<NonNullable<ReplicaState>, number>> = {
  leads: 0.72,
  up: 0.4,
  waits: 0.26,
  down: 0.14,
};

interface Props {
  readonly lanes: readonly Lane[];
  readonly gaps: readonly Gap[];
}

const title = 'Replicas';

/** One lane for each replica: when it answered, and when it led. */
export function Lanes({ lanes, gaps }: Props) {
  const { axis, cursor } = useSpan();
  const at = cursor ?? axis.count - 1;
  const nameOf = (replica: string) => `replica ${replica}`;
  return (
    <Card title={title} actions={<CursorTime />}>
      <figure className={chart.figure} aria-label={title}>
        <ul className={chart.legend}>
          {lanes.map(({ replica, states }) => (
            <li key={replica}>
              <span className={styles.key} data-state={states[at] ?? 'unknown'} aria-hidden />
              {nameOf(replica)} <strong>{wordOf(states[at])}</strong>
            </li>
          ))}
        </ul>
        <Plot
          title={title}
          gaps={gaps}
          rows={Math.max(2, lanes.length)}
          words={(step) =>
            lanes
              .map(({ replica, states }) => `${nameOf(replica)} ${wordOf(states[step])}`)
              .join(', ')
          }
          side={lanes.map(({ replica }, index) => (
            <span
              key={replica}
              className={styles.laneName}
              style={{ insetBlockStart: `${(100 * (index + 0.5)) / lanes.length}%` }}
            >
              {nameOf(replica)}
            </span>
          ))}
        >
          {lanes.map(({ replica, states }, index) => (
            <Bars
              key={replica}
              states={states}
              top={index / lanes.length}
              share={1 / lanes.length}
            />
          ))}
        </Plot>
        <p className={chart.about}>
          A step in which a replica was silent once counts as no answer. The thick bar leads.
        </p>
        <Points
          title={title}
          heads={lanes.map(({ replica }) => nameOf(replica))}
          cells={(step) => lanes.map(({ states }) => wordOf(states[step]))}
        />
      </figure>
    </Card>
  );
}

interface BarsProps {
  readonly states: readonly ReplicaState[];
  /** Parts of the box. */
  readonly top: number;
  readonly share: number;
}

const size = 1_000;

function Bars({ states, top, share }: BarsProps) {
  return runsOf(states).map(({ begin, end, value }) => {
    if (value === null) return null;
    const height = share * heights[value];
    return (
      <rect
        key={begin}
        className={styles.bar}
        data-state={value}
        x={(begin * size) / states.length}
        width={((end - begin) * size) / states.length}
        y={(top + (share - height) / 2) * size}
        height={height * size}
      />
    );
  });
}
