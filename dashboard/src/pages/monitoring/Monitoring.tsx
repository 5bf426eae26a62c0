import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { currentFiguresQuery, figuresQuery, lastSampleMs, type SpanFigures } from './queries.ts';
import { wordOf } from '../../lib/search.ts';
import { plainTime, zoneName } from '../../lib/time.ts';
import { useNow, useZone } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { latePart } from '../../ui/late-part.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Empty, Outdated, Skeleton } from '../../ui/States.tsx';
import { table } from '../../ui/Table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { When } from '../../ui/When.tsx';
import { useDatabase } from '../database/use-database.ts';
import spanStyles from '../../ui/Spans.module.css';
import styles from './Monitoring.module.css';
import { operationNames, rangeNames, ranges } from './ranges.ts';
import { Requests } from './Requests.tsx';
import {
  partOf,
  readMonitoringSearch,
  withoutPart,
  withPart,
  type MonitoringSearch,
} from './search.ts';
import { Tiles } from './Tiles.tsx';
import { stepWords } from './words.ts';

const Charts = latePart('The charts', async () => (await import('./Charts.tsx')).Charts);

/** The current and past figures of a database, and when it will be full. */
export function Monitoring() {
  const { database, organizationId } = useDatabase();
  const [search, setSearch] = useFilters(readMonitoringSearch);
  const choice = { range: search.range ?? '1h', part: partOf(search), operation: search.op };
  const current = useQuery(currentFiguresQuery(organizationId, database.id));
  const figures = useQuery(figuresQuery(organizationId, database.id, choice));
  return (
    <div className={styles.page}>
      <Failed read={current} />
      {current.isPending && <Skeleton lines={3} />}
      {current.data !== undefined && <Tiles current={current.data} />}
      <Controls search={search} figures={figures.data} onChoose={setSearch} />
      {figures.isError && (
        <>
          <Failed read={figures} />
          {figures.data !== undefined && (
            <p className={styles.soft}>
              The charts are of <When at={new Date(figures.dataUpdatedAt).toISOString()} />.
            </p>
          )}
        </>
      )}
      {figures.isPending && <Skeleton lines={24} />}
      {figures.data !== undefined && (
        <Outdated when={figures.isPlaceholderData}>
          {isEmpty(figures.data) ? (
            <Empty title="No figures yet">
              Figures are taken every 15 seconds while the database runs. There are none in this
              span.
            </Empty>
          ) : (
            <Suspense fallback={<Skeleton lines={24} />}>
              <Charts
                figures={figures.data}
                forecast={current.data?.forecast}
                onZoom={(span) => setSearch(withPart(search, span, lastSampleMs()), { keep: true })}
              />
            </Suspense>
          )}
        </Outdated>
      )}
      <Requests />
    </div>
  );
}

const isEmpty = ({ rates, highest, lowest, marks }: SpanFigures): boolean =>
  [rates, highest, lowest].every(({ data }) => data.length === 0) && marks.length === 0;

interface ControlsProps {
  readonly search: MonitoringSearch;
  readonly figures: SpanFigures | undefined;
  readonly onChoose: (search: MonitoringSearch) => void;
}

function Controls({ search, figures, onChoose }: ControlsProps) {
  const zone = useZone();
  const now = useNow();
  const part = partOf(search);
  const range = search.range ?? '1h';
  return (
    <div className={styles.controls}>
      <div role="group" aria-label="Span of time" className={spanStyles.spans}>
        {rangeNames.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={part === undefined && name === range}
            onClick={() => onChoose({ ...withoutPart(search), range: name })}
          >
            {ranges[name].title}
          </button>
        ))}
      </div>
      {part !== undefined && (
        <p className={table.more}>
          {plainTime(new Date(part.fromMs), zone)} to {plainTime(new Date(part.toMs), zone)}
          <Button small onClick={() => onChoose(withoutPart(search))}>
            Back to {ranges[range].title}
          </Button>
        </p>
      )}
      <label className={spanStyles.choice}>
        Latency of{' '}
        <select
          value={search.op ?? figures?.operation ?? operationNames[0]}
          onChange={(event) => {
            const op = wordOf(event.target.value, operationNames);
            if (op !== undefined) onChoose({ ...search, op });
          }}
        >
          {operationNames.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <p className={styles.soft}>
        {figures !== undefined && `A point for every ${stepWords(figures.rates.stepSeconds)}. `}
        Times are {zoneName(now, zone)}. Drag over a chart to see a part of it closer; on the
        keyboard hold Shift with the arrow keys, then press Enter.
      </p>
    </div>
  );
}
