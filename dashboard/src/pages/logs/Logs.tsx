import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { LogLine } from '../../../../gen/api.ts';
import { said } from '../../lib/said.ts';
import { plainTime, zoneName, type Zone } from '../../lib/time.ts';
import { useNow, useZone } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Badge, Empty, Outdated, Skeleton } from '../../ui/States.tsx';
import { Exactly, When } from '../../ui/When.tsx';
import { useDatabase } from '../database/use-database.ts';
import { Filters } from './Filters.tsx';
import { attributesText, inOrder, placeOf, toneOf } from './lines.ts';
import styles from './Logs.module.css';
import { earlierLinesQuery, followedLinesQuery, followedMax } from './queries.ts';
import { SaveLines } from './SaveLines.tsx';
import { isRange, spanDefault, spans } from './search.ts';

const path = '/o/$slug/databases/$name/logs';

/** The log lines of a database's containers: the newest first, new ones as they come. */
export function Logs() {
  const { database, organizationId } = useDatabase();
  const search = useSearch({ from: path });
  const navigate = useNavigate({ from: path });
  const queryClient = useQueryClient();
  const zone = useZone();
  const now = useNow();
  const [paused, setPaused] = useState(false);
  const [opened, setOpened] = useState<LogLine>();
  const earlier = useInfiniteQuery(earlierLinesQuery(organizationId, database.id, search));
  const hasEnd = search.to !== undefined;
  const begin = earlier.isPlaceholderData ? undefined : earlier.data?.pages[0]?.page.after;
  const following = useQuery({
    ...followedLinesQuery(queryClient, organizationId, database.id, search, begin),
    ...((paused || hasEnd) && { enabled: false }),
  });
  const lines = inOrder([
    ...(following.data?.lines ?? []),
    ...(earlier.data?.pages.flatMap(({ data }) => data) ?? []),
  ]);
  return (
    <div className={styles.page}>
      <Filters
        search={search}
        nodeCount={database.nodeCount}
        onChoose={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
      />
      <div className={styles.head}>
        {!hasEnd && (
          <Button small aria-pressed={!paused} onClick={() => setPaused(!paused)}>
            {paused ? 'Follow' : 'Pause'}
          </Button>
        )}
        <p className={styles.soft} role="status">
          {hasEnd && 'Lines up to the time “To”: new ones are not shown.'}
          {!hasEnd && paused && 'Paused: new lines are not shown.'}
          {!hasEnd && !paused && 'New lines appear as they come.'}
        </p>
        <SaveLines key={JSON.stringify(search)} choice={search} />
        <p className={styles.soft}>Times are {zoneName(now, zone)}.</p>
      </div>
      <Failed read={earlier} />
      {following.isError && !paused && !hasEnd && (
        <>
          <Failed read={following} />
          {following.data !== undefined && (
            <p className={styles.soft}>
              The lines are those up to{' '}
              <When at={new Date(following.dataUpdatedAt).toISOString()} />.
            </p>
          )}
        </>
      )}
      {earlier.isPending && <Skeleton lines={10} />}
      {earlier.isSuccess && lines.length === 0 && (
        <Empty title="No lines">
          {isFiltered(search)
            ? 'No line of this span matches the filters.'
            : `Nothing was logged ${isRange(search) ? 'between these times' : `in the last ${spans[search.span ?? spanDefault].title}`}. Lines are kept for 7 days.`}
        </Empty>
      )}
      {following.data?.lines.length === followedMax && (
        <p className={styles.soft}>
          More lines came than are shown here. Load the page again to see those in between.
        </p>
      )}
      {lines.length > 0 && (
        <Outdated when={earlier.isPlaceholderData}>
          <Lines lines={lines} zone={zone} onOpen={setOpened} />
        </Outdated>
      )}
      <More list={earlier} count={lines.length} what="lines" rest="there are earlier ones" />
      <p className={styles.soft}>
        Slow and failed requests over HTTP stand on the page Monitoring.
      </p>
      <Dialog
        open={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title="Log line"
        side
      >
        {opened !== undefined && <Details line={opened} />}
      </Dialog>
    </div>
  );
}

const isFiltered = ({
  severity,
  component,
  node,
  search,
}: Parameters<typeof Filters>[0]['search']) =>
  [severity, component, node, search].some((one) => one !== undefined);

interface LinesProps {
  readonly lines: readonly LogLine[];
  readonly zone: Zone;
  readonly onOpen: (line: LogLine) => void;
}

const Lines = ({ lines, zone, onOpen }: LinesProps) => (
  <ol className={styles.lines} aria-label="Lines">
    {lines.map((line) => (
      <li key={line.id} className={styles.line}>
        <time className={styles.time} dateTime={line.timestamp}>
          {`${plainTime(new Date(line.timestamp), zone)}.${line.timestamp.slice(20, 23)}`}
        </time>
        <span className={styles.severity}>
          <Badge tone={toneOf(line.severity)}>{line.severity.toLowerCase()}</Badge>
        </span>
        <span className={styles.place}>{placeOf(line)}</span>
        <button type="button" className={styles.message} onClick={() => onOpen(line)}>
          {said(line.message)} <span className={styles.attributes}>{attributesText(line)}</span>
        </button>
      </li>
    ))}
  </ol>
);

const Details = ({ line }: { readonly line: LogLine }) => (
  <>
    <Facts
      rows={[
        ['Time', <Exactly key="time" at={line.timestamp} />],
        ['Severity', line.severity.toLowerCase()],
        ['Component', line.component],
        ['Node', line.node === null ? '–' : String(line.node)],
        ['Number', line.id],
      ]}
    />
    <Code text={line.message} what="the message" />
    {Object.keys(line.attributes).length > 0 && (
      <Code text={JSON.stringify(line.attributes, undefined, 2)} what="the attributes" />
    )}
  </>
);
