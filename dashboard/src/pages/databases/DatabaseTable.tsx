import { Link } from '@tanstack/react-router';
import type { Database } from '../../../../gen/api.ts';
import { shownMoney } from '../../lib/money.ts';
import { Badge } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { When } from '../../ui/When.tsx';
import { standingOf } from './standing.ts';

interface Props {
  readonly rows: readonly Database[];
  readonly slug: string;
}

const end = (title: string) => ({ title, end: true }) as const;

export const DatabaseTable = ({ rows, slug }: Props) => (
  <Table
    label="Databases"
    heads={[
      'Name',
      'Status',
      'Topology',
      'Size',
      end('Storage'),
      'Region',
      'Engine',
      end('A month'),
    ]}
  >
    {rows.map((row) => (
      <Row key={row.id} row={row} slug={slug} />
    ))}
  </Table>
);

function Row({ row, slug }: { readonly row: Database; readonly slug: string }) {
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
        {row.statusReason !== null && row.status !== 'READY' && (
          <div className={table.soft}>{row.statusReason.message}</div>
        )}
        {row.purgeAt !== null && (
          <div className={table.soft}>
            restorable, purged <When at={row.purgeAt} />
          </div>
        )}
      </td>
      <td className={table.keep}>{row.clusterConfiguration}</td>
      <td className={table.keep}>{row.clusterSize}</td>
      <td className={`${table.end} ${table.keep}`}>{row.selectedStorageGb} GiB</td>
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
    </tr>
  );
}
