import { Link } from '@tanstack/react-router';
import type { Database } from '../../../../gen/api.ts';
import { shownShare } from '../../lib/figures.ts';
import { shownMoney } from '../../lib/money.ts';
import { Badge } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { When } from '../../ui/When.tsx';
import { ActiveJob } from './ActiveJob.tsx';
import { RowMenu } from './RowMenu.tsx';
import { standingOf } from './standing.ts';

interface Props {
  readonly rows: readonly Database[];
  readonly slug: string;
}

const end = (title: string) => ({ title, end: true }) as const;

export const DatabaseTable = ({ rows, slug }: Props) => (
  <Table
    label="Databases"
    heads={['Name', 'Status', 'Topology, size', 'In use', 'Region', 'Engine', end('A\u00a0month')]}
    actions
  >
    {rows.map((row) => (
      <Row key={row.id} row={row} slug={slug} jobs={jobsOf(rows)} />
    ))}
  </Table>
);

const jobsOf = (rows: Props['rows']): number =>
  rows.filter(({ activeJobId }) => activeJobId !== null).length;

interface RowProps {
  readonly row: Database;
  readonly slug: string;
  /** Number of jobs in the list. */
  readonly jobs: number;
}

function Row({ row, slug, jobs }: RowProps) {
  const { word, tone } = standingOf(row);
  const isGone = row.status === 'DELETED' || row.status === 'DELETING';
  return (
    <tr>
      <td>
        <Link
          to="/o/$slug/databases/$name"
          params={{ slug, name: row.name }}
          search={isGone ? { id: row.id } : {}}
          className={table.name}
        >
          {row.name}
        </Link>
      </td>
      <td>
        <Badge tone={tone}>{word}</Badge>
        {row.activeJobId !== null && <ActiveJob id={row.activeJobId} jobs={jobs} />}
        {row.statusReason !== null && row.status !== 'READY' && (
          <div className={table.soft}>{row.statusReason.message}</div>
        )}
        {row.purgeAt !== null && (
          <div className={table.soft}>
            restorable, purged <When at={row.purgeAt} />
          </div>
        )}
      </td>
      <td className={table.keep}>
        {row.clusterConfiguration}
        <div className={table.soft}>
          {row.clusterSize}, {row.selectedStorageGb} GiB
        </div>
      </td>
      <td className={table.keep}>
        <InUse usage={row.usage} />
      </td>
      <td className={table.keep}>{row.region}</td>
      <td className={table.keep}>
        {row.engine.name} {row.engine.version}
        {row.engine.updateAvailable && (
          <div className={table.soft}>{row.engine.latestVersion} is available</div>
        )}
      </td>
      <td className={`${table.end} ${table.keep}`}>
        {row.estimatedMonthlyPrice === null ? '–' : shownMoney(row.estimatedMonthlyPrice)}
      </td>
      <td className={table.end}>{!isGone && <RowMenu row={row} />}</td>
    </tr>
  );
}

/** Of the replica that uses most. */
const InUse = ({ usage }: Pick<Database, 'usage'>) =>
  usage === null
    ? '–'
    : (
        [
          ['storage', usage.storage],
          ['memory', usage.memory],
        ] as const
      ).map(([what, { usedBytes, limitBytes }]) => (
        <div key={what} className={`${table.soft} ${table.keep}`}>
          {shownShare(usedBytes, limitBytes)} of {what}
        </div>
      ));
