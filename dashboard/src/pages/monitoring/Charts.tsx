import { useMemo, useState } from 'react';
import type { CurrentMetrics } from '../../../../gen/api.ts';
import type { SpanFigures } from './queries.ts';
import type { Selection, TimeSpan } from '../../ui/time-series/selection.ts';
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
  readonly onZoom: (span: TimeSpan) => void;
}

/** The charts of a span, which share their cursor, and its events. */
export function Charts({ figures, forecast, onZoom }: Props) {
  const { axis, charts, lanes, gaps } = useMemo(() => chartsOf(figures), [figures]);
  const [cursorMs, onCursor] = useState<number>();
  const { marks } = figures;
  const [selection, onSelect] = useState<Selection>();
  const span = useMemo(
    () => ({ axis, marks, cursorMs, onCursor, selection, onSelect, onZoom }),
    [axis, marks, cursorMs, selection, onZoom],
  );
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
