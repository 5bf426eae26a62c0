import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { LedgerRequest } from '../../../../gen/api.ts';
import { requestsQuery } from './queries.ts';
import { shownFigure } from '../../lib/figures.ts';
import { wordOf } from '../../lib/search.ts';
import { Button } from '../../ui/Button.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Empty, Skeleton } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { Exactly } from '../../ui/When.tsx';
import { useDatabase } from '../database/use-database.ts';
import styles from './Monitoring.module.css';
import { requestOutcomes } from './search.ts';

const path = '/o/$slug/databases/$name/monitoring';
const end = (title: string) => ({ title, end: true }) as const;

/** Slow and failed requests over HTTP, the newest first. */
export function Requests() {
  const { database, organizationId } = useDatabase();
  const search = useSearch({ from: path });
  const navigate = useNavigate({ from: path });
  const list = useInfiniteQuery(requestsQuery(organizationId, database.id, search.outcome));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const choose = (chosen: string) => {
    const { outcome: _before, ...rest } = search;
    const outcome = wordOf(chosen, requestOutcomes);
    const next = outcome === undefined ? rest : { ...rest, outcome };
    void navigate({ search: next, replace: true, resetScroll: false });
  };
  return (
    <Card
      title="Slow and failed requests"
      actions={
        <label className={styles.choice}>
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
        </p>
        {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton lines={4} />}
        {list.isSuccess && rows.length === 0 && (
          <Empty title="No such request">
            {search.outcome === undefined
              ? 'None was slow, and none failed.'
              : `None is kept that ${search.outcome === 'slow' ? 'was slow' : 'failed'}.`}
          </Empty>
        )}
        {rows.length > 0 && (
          <Table
            label="Slow and failed requests"
            heads={[
              'Time',
              'Operation',
              'Outcome',
              end('Events'),
              end('Took'),
              end('In the engine'),
              'Request, and who sent it',
            ]}
          >
            {rows.map((request, index) => (
              <Row key={`${request.requestId}${index}`} request={request} />
            ))}
          </Table>
        )}
        {list.hasNextPage && (
          <p className={table.more}>
            {rows.length} requests, there are more
            <Button small busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              Show more
            </Button>
          </p>
        )}
      </div>
    </Card>
  );
}

const milliseconds = (value: number | null): string =>
  shownFigure(value === null ? null : value / 1_000, 'seconds');

const Row = ({ request }: { readonly request: LedgerRequest }) => (
  <tr>
    <td className={table.keep}>
      <Exactly at={request.at} />
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
    <td className={`${table.end} ${table.keep}`}>{milliseconds(request.durationMs)}</td>
    <td className={`${table.end} ${table.keep}`}>{milliseconds(request.ledgerMs)}</td>
    <td className={table.keep}>
      <code>{request.requestId}</code> <Copy text={request.requestId} what="the request’s ID" />
      <div className={table.soft}>
        by <code>{request.credentialId}</code>
      </div>
    </td>
  </tr>
);
