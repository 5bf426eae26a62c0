import { useInfiniteQuery } from '@tanstack/react-query';
import { usageQuery } from '../../data/settings-queries.ts';
import { serverNow } from '../../lib/clock.ts';
import { shownMoney } from '../../lib/money.ts';
import { given } from '../../lib/search.ts';
import { useOrganization } from '../../shell/context.ts';
import styles from '../../ui/Filters.module.css';
import { FilterSelect } from '../../ui/FilterSelect.tsx';
import form from '../../ui/Form.module.css';
import { Card, Facts } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Outdated, Skeleton } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { When } from '../../ui/When.tsx';
import { monthsUntil, readUsageFilter, shownHours } from './usage-filter.ts';

const monthsShown = 13;
const end = (title: string) => ({ title, end: true }) as const;

/** What the databases used in a month, by database or by day. */
export function UsageCard() {
  const organization = useOrganization();
  const [filter, setFilter] = useFilters(readUsageFilter);
  const usage = useInfiniteQuery(usageQuery(organization.id, filter));
  const [first] = usage.data?.pages ?? [];
  const rows = usage.data?.pages.flatMap(({ data }) => data) ?? [];
  const [[, now] = ['', ''], ...earlier] = monthsUntil(serverNow().getTime(), monthsShown);
  const isByDay = filter.by === 'day';
  return (
    <Card title="Usage">
      <div className={form.form}>
        <search className={styles.filters}>
          <FilterSelect
            label="Month"
            any={now}
            choices={earlier}
            value={filter.month}
            onChange={(month) => setFilter(given({ ...filter, month }))}
          />
          <FilterSelect
            label="By"
            any="Database"
            choices={[['day', 'Day']]}
            value={filter.by}
            onChange={(by) => setFilter(given({ ...filter, by }))}
          />
        </search>
        <Failed read={usage} />
        {usage.isPending && <Skeleton />}
        <Outdated when={usage.isPlaceholderData}>
          {first !== undefined && (
            <Facts
              rows={[
                [
                  filter.month === undefined ? 'So far' : 'The whole month',
                  shownMoney(first.total),
                ],
                ...(first.forecast === null
                  ? []
                  : [
                      [
                        'At its end',
                        `about ${shownMoney(first.forecast)}, if nothing changes`,
                      ] as const,
                    ]),
                [
                  'Counted until',
                  first.usedUntil === null ? 'nothing yet' : <When at={first.usedUntil} />,
                ],
              ]}
            />
          )}
          {usage.isSuccess && rows.length === 0 && <p>Nothing was used in this month.</p>}
          {rows.length > 0 && (
            <Table
              label="Usage"
              heads={[
                isByDay ? 'Day' : 'Database',
                end('Ran'),
                end('Processes'),
                end('Storage'),
                end('Total'),
              ]}
            >
              {rows.map((row) => (
                <tr key={row.day ?? row.databaseId}>
                  <td className={isByDay ? table.keep : ''}>
                    {isByDay ? row.day : <span className={table.name}>{row.databaseName}</span>}
                    {row.unpriced && <div className={table.soft}>partly without a price</div>}
                  </td>
                  <td className={`${table.end} ${table.keep}`}>
                    {shownHours(row.compute.seconds)}
                  </td>
                  <td className={`${table.end} ${table.keep}`}>{shownMoney(row.compute.amount)}</td>
                  <td className={`${table.end} ${table.keep}`}>{shownMoney(row.storage.amount)}</td>
                  <td className={`${table.end} ${table.keep}`}>{shownMoney(row.amount)}</td>
                </tr>
              ))}
            </Table>
          )}
        </Outdated>
        <More list={usage} count={rows.length} what="rows" />
      </div>
    </Card>
  );
}
