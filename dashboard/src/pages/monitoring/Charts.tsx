import { useMemo, useState } from 'react';
import type { CurrentMetrics } from '../../../../gen/api.ts';
import type { SpanFigures } from './queries.ts';
import { SpanContext } from '../../ui/time-series/span.ts';
import { TimeSeries } from '../../ui/time-series/TimeSeries.tsx';
import { chartsOf } from './charts.ts';
import { Happenings } from './Happenings.tsx';
import { Lanes } from './Lanes.tsx';
import styles from './Monitoring.module.css';
import { forecastWords } from './words.ts';

interface Props {
  readonly figures: SpanFigures;
  /** `undefined`: not known yet. */
  readonly forecast: CurrentMetrics['forecast'] | undefined;
}

/** The charts of a span, which share their cursor, and its events. */
export function Charts({ figures, forecast }: Props) {
  const { axis, charts, lanes, gaps } = useMemo(() => chartsOf(figures), [figures]);
  const [cursorMs, onCursor] = useState<number>();
  const { marks } = figures;
  const span = useMemo(() => ({ axis, marks, cursorMs, onCursor }), [axis, marks, cursorMs]);
  const notes: Readonly<Record<string, string | undefined>> =
    forecast === undefined
      ? {}
      : {
          Memory: forecastWords(forecast.memory),
          Storage: forecastWords(forecast.storage),
        };
  return (
    <SpanContext value={span}>
      <Happenings marks={marks} />
      <div className={styles.charts}>
        {charts.map(({ about, ...chart }) => (
          <TimeSeries
            key={chart.title}
            {...chart}
            about={[about, notes[chart.title]].filter((one) => one !== undefined).join(' ')}
          />
        ))}
        {lanes.length > 0 && <Lanes lanes={lanes} gaps={gaps} />}
      </div>
    </SpanContext>
  );
}
