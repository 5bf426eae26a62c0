import { useInfiniteQuery } from '@tanstack/react-query';
import type { LedgerRequest } from '../../../../gen/api.ts';
import { requestsQuery } from './queries.ts';
import { shownFigure } from '../../lib/figures.ts';
import { wordOf } from '../../lib/search.ts';
import { Copy } from '../../ui/Copy.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Badge, Empty, Outdated, Skeleton } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { Exactly } from '../../ui/When.tsx';
import { useDatabase } from '../database/use-database.ts';
import spanStyles from '../../ui/Spans.module.css';
import styles from './Monitoring.module.css';
import { partOf, readMonitoringSearch, requestOutcomes } from './search.ts';

const end = (title: string) => ({ title, end: true }) as const;

/** Slow and failed requests over HTTP, the newest first. */
export function Requests() {
  const { database, organizationId } = useDatabase();
  const [search, setSearch] = useFilters(readMonitoringSearch);
  const part = partOf(search);
  const list = useInfiniteQuery(
    requestsQuery(organizationId, database.id, { outcome: search.outcome, part }),
  );
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const choose = (chosen: string) => {
    const { outcome: _before, ...rest } = search;
    const outcome = wordOf(chosen, requestOutcomes);
    setSearch(outcome === undefined ? rest : { ...rest, outcome });
  };
  return (
    <Card
      title="Slow and failed requests"
      actions={
        <label className={spanStyles.choice}>
          Show{' '}
          <select value={search.outcome ?? ''} onChange={(event) => choose(event.target.value)}>
            <option value="">both</option>
            <option value="failed">failed</option>
            <option value="slow">slow</option>
          </select>
        </label>
      }
    >
      <div className={styles.stack}>
        <p className={styles.soft}>
          Over HTTP: those that failed, and those that took half a second or more. The last 1,000
          are kept, without their content.
          {part !== undefined && ' Those of the marked part of the time are shown.'}
        </p>
        <Failed read={list} />
        {list.isPending && <Skeleton lines={4} />}
        {list.isSuccess && rows.length === 0 && (
          <Empty title="No such request">
            {search.outcome === undefined
              ? 'None was slow, and none failed'
              : `None is kept that ${search.outcome === 'slow' ? 'was slow' : 'failed'}`}
            {part === undefined ? '.' : ' in the marked part of the time.'}
          </Empty>
        )}
        {rows.length > 0 && (
          <Outdated when={list.isPlaceholderData}>
            <Table
              label="Slow and failed requests"
              heads={[
                'Time',
                'Operation',
                'Outcome',
                end('Events'),
                end('Took'),
                'Request, and who sent it',
              ]}
            >
              {rows.map((request, index) => (
                <Row key={`${request.requestId}${index}`} request={request} />
              ))}
            </Table>
          </Outdated>
        )}
        <More list={list} count={rows.length} what="requests" />
      </div>
    </Card>
  );
}

const milliseconds = (value: number | null): string =>
  shownFigure(value === null ? null : value / 1_000, 'seconds');

const Row = ({ request }: { readonly request: LedgerRequest }) => (
  <tr>
    <td>
      <div className={styles.when}>
        <Exactly at={request.at} />
      </div>
    </td>
    <td className={table.keep}>
      <code>{request.operation}</code>
    </td>
    <td className={table.keep}>
      {request.code === null ? (
        <Badge tone="warn">slow</Badge>
      ) : (
        <Badge tone="bad">{request.code}</Badge>
      )}
      {request.standsFor > 1 && (
        <div className={table.soft}>stands for {request.standsFor} like it</div>
      )}
    </td>
    <td className={table.end}>{shownFigure(request.events, 'count')}</td>
    <td className={`${table.end} ${table.keep}`}>
      {milliseconds(request.durationMs)}
      {request.ledgerMs !== null && (
        <div className={table.soft}>{milliseconds(request.ledgerMs)} in the engine</div>
      )}
    </td>
    <td className={table.keep}>
      <code>{request.requestId}</code>{' '}
      <Copy text={request.requestId} what={`the ID ${request.requestId}`} />
      <div className={table.soft}>
        by <code>{request.credentialId}</code>
      </div>
    </td>
  </tr>
);
