import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { said } from '../../lib/said.ts';
import type { AuditEvent } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { organizationQuery } from '../../data/organization-queries.ts';
import { patiently } from '../../data/patience.ts';
import { auditQuery, type AuditFilter } from '../../data/settings-queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import form from '../../ui/Form.module.css';
import { Code } from '../../ui/Code.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Facts, Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Empty, Outdated, Skeleton } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { Exactly, useExactTime } from '../../ui/When.tsx';
import { SaveEvents } from './SaveEvents.tsx';
import { AuditFilters } from './AuditFilters.tsx';
import { readAuditSearch } from './search.ts';

export function Audit() {
  const organization = useOrganization();
  const [filter, setFilter] = useFilters(readAuditSearch);
  const isFiltered = Object.keys(filter).length > 0;
  const list = useInfiniteQuery(auditQuery(organization.id, filter));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const [opened, setOpened] = useState<AuditEvent>();
  const exactTime = useExactTime();
  return (
    <Page
      title="Audit log"
      about="All actions in the organization, the newest first. Each event has a keyed hash of the one before, so no event can be changed or removed unnoticed."
      actions={
        <>
          <SaveEvents filter={filter} />
          <Verify />
        </>
      }
    >
      <Retention />
      <AuditFilters key={JSON.stringify(filter)} filter={filter} onApply={setFilter} />
      <Failed read={list} />
      {list.isPending && <Skeleton lines={8} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title={isFiltered ? 'No event matches' : 'No event'}>
          {isFiltered
            ? 'The filters leave nothing.'
            : 'Nothing was done within the days for which events are kept.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <Outdated when={list.isPlaceholderData}>
          <Table label="Events" heads={['Time', 'Actor', 'Action', 'Target', 'Address']} actions>
            {rows.map((event) => (
              <tr key={event.id}>
                <td className={table.keep}>
                  <Exactly at={event.occurredAt} />
                </td>
                <td>
                  <span className={table.words}>{said(event.actor.display)}</span>
                </td>
                <td>
                  <code className={table.keep}>{event.type}</code>{' '}
                  {event.outcome !== 'SUCCESS' && (
                    <Badge tone="bad">{event.outcome.toLowerCase()}</Badge>
                  )}
                </td>
                <td>
                  <span className={table.words}>{said(event.target.display)}</span>
                </td>
                <td className={table.keep}>{event.ip ?? '–'}</td>
                <td className={table.end}>
                  <Button
                    small
                    onClick={() => setOpened(event)}
                    aria-label={`Details of ${event.type}, ${exactTime(event.occurredAt)}`}
                  >
                    Details
                  </Button>
                </td>
              </tr>
            ))}
          </Table>
        </Outdated>
      )}
      <More list={list} count={rows.length} what="events" />
      <Dialog
        open={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={opened?.type ?? ''}
        side
      >
        {opened !== undefined && (
          <>
            <Details event={opened} />
            <Narrower
              event={opened}
              onNarrow={(more) => {
                setOpened(undefined);
                setFilter({ ...filter, ...more });
              }}
            />
          </>
        )}
      </Dialog>
    </Page>
  );
}

function Retention() {
  const { id, slug } = useOrganization();
  const read = useQuery(organizationQuery(id));
  if (read.data === undefined)
    return read.isError ? (
      <Failed read={read} />
    ) : (
      <p>
        <Skeleton inline />
      </p>
    );
  return (
    <p>
      Events are kept for {read.data.organization.auditRetentionDays} days.{' '}
      <Link to="/o/$slug/settings/organization" params={{ slug }}>
        Change it
      </Link>
    </p>
  );
}

const Details = ({ event }: { readonly event: AuditEvent }) => (
  <>
    <Facts
      rows={[
        ['Time', <Exactly key="time" at={event.occurredAt} />],
        ['Actor', `${said(event.actor.display)} (${event.actor.type})`],
        ['Outcome', event.outcome],
        ['Target', `${said(event.target.display)} (${event.target.type})`],
        ['Address', event.ip ?? '–'],
        ['Program', event.userAgent ?? '–'],
        ['Request', event.requestId ?? '–'],
        ['Number', event.sequence],
        ['Hash', event.hash],
      ]}
    />
    {event.changes.length > 0 && (
      <Table label="Changes" heads={['Field', 'From', 'To']}>
        {event.changes.map(({ path: field, from, to }) => (
          <tr key={field}>
            <td>
              <code>{field}</code>
            </td>
            <td>{JSON.stringify(from)}</td>
            <td>{JSON.stringify(to)}</td>
          </tr>
        ))}
      </Table>
    )}
    <Code text={JSON.stringify(event.data, undefined, 2)} what="the event’s data" />
  </>
);

interface NarrowerProps {
  readonly event: AuditEvent;
  readonly onNarrow: (more: AuditFilter) => void;
}

/** Buttons that leave the events which share something with this one. */
const Narrower = ({ event: { type, actor, target, databaseId }, onNarrow }: NarrowerProps) => (
  <div className={form.buttons}>
    <Button onClick={() => onNarrow({ type })}>Only this action</Button>
    {actor.id !== null && (
      <Button onClick={() => onNarrow({ actorId: actor.id ?? '' })}>Only this actor</Button>
    )}
    {target.id !== null && (
      <Button onClick={() => onNarrow({ targetId: target.id ?? '' })}>Only this target</Button>
    )}
    {databaseId !== null && databaseId !== target.id && (
      <Button onClick={() => onNarrow({ databaseId })}>Only this database</Button>
    )}
  </div>
);

/** Checks the whole chain, page after page. */
function Verify() {
  const organization = useOrganization();
  const verify = useMutation({
    mutationFn: async () => {
      let checked = 0;
      let from: string | undefined;
      for (;;) {
        const query = from === undefined ? {} : { from };
        const { data } = await patiently(() =>
          ask(organization.id, 'get', '/api/v1/audit-events/verify', { query }),
        );
        checked += data.checked;
        if (data.fault !== null || data.next === null) return { checked, fault: data.fault };
        from = data.next;
      }
    },
  });
  const { data } = verify;
  return (
    <>
      <span role="status">
        {data !== undefined &&
          (data.fault === null ? (
            <Badge tone="good">{`${data.checked} events, chain sound`}</Badge>
          ) : (
            <Badge tone="bad">{`Event ${data.fault.sequence}: ${data.fault.detail}`}</Badge>
          ))}
      </span>
      {verify.isError && <Problem error={verify.error} />}
      <Button busy={verify.isPending} onClick={() => verify.mutate()}>
        Check the chain
      </Button>
    </>
  );
}
