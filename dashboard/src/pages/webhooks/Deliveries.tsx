import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { WebhookDelivery } from '../../../../gen/api.ts';
import { deliveriesQuery } from '../../data/webhook-queries.ts';
import { serverNow } from '../../lib/clock.ts';
import { useOrganization } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Badge, Empty, Outdated, Skeleton, type Tone } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { Exactly, useExactTime, When } from '../../ui/When.tsx';
import { DeliveryDetails } from './DeliveryDetails.tsx';
import { DeliveryFilters } from './DeliveryFilters.tsx';
import { filterOf } from './filter.ts';
import { ReplayMany } from './ReplayMany.tsx';

const path = '/o/$slug/settings/webhooks/deliveries';

const tones: Readonly<Record<WebhookDelivery['status'], Tone>> = {
  PENDING: 'busy',
  SUCCEEDED: 'good',
  FAILED: 'bad',
  CANCELED: 'soft',
};

export function Deliveries() {
  const organization = useOrganization();
  const search = useSearch({ from: path });
  const navigate = useNavigate({ from: path });
  // A span before now begins when it was chosen: the pages of a list are of the same one.
  const filter = useMemo(() => filterOf(search, serverNow()), [search]);
  const list = useInfiniteQuery(deliveriesQuery(organization.id, filter));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const [opened, setOpened] = useState<string>();
  return (
    <Page
      title="Webhook deliveries"
      about="Each event for each endpoint, with its attempts; kept for 30 days."
      actions={<ReplayMany filter={filter} />}
    >
      <DeliveryFilters
        search={search}
        onChange={(next) => void navigate({ search: next, resetScroll: false })}
      />
      <Failed read={list} />
      {list.isPending && <Skeleton lines={8} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title="No delivery">Nothing was sent, or the filters leave nothing.</Empty>
      )}
      {rows.length > 0 && (
        <Outdated when={list.isPlaceholderData}>
          <Table
            label="Deliveries"
            heads={['Time', 'Event', 'Status', 'Attempts', 'Last answer', 'Next attempt']}
            actions
          >
            {rows.map((delivery) => (
              <Row key={delivery.id} delivery={delivery} onOpen={() => setOpened(delivery.id)} />
            ))}
          </Table>
        </Outdated>
      )}
      <More list={list} count={rows.length} what="deliveries" />
      <DeliveryDetails deliveryId={opened} onClose={() => setOpened(undefined)} />
    </Page>
  );
}

interface RowProps {
  readonly delivery: WebhookDelivery;
  readonly onOpen: () => void;
}

const Row = ({ delivery, onOpen }: RowProps) => {
  const exactTime = useExactTime();
  return (
    <tr>
      <td className={table.keep}>
        <Exactly at={delivery.createdAt} />
      </td>
      <td className={table.keep}>
        <code>{delivery.eventType}</code>
      </td>
      <td>
        <Badge tone={tones[delivery.status]}>{delivery.status.toLowerCase()}</Badge>
        {delivery.status !== 'SUCCEEDED' && delivery.lastError !== null && (
          <div className={table.soft}>{delivery.lastError}</div>
        )}
      </td>
      <td>{delivery.attemptCount}</td>
      <td>{delivery.lastStatusCode ?? '–'}</td>
      <td className={table.keep}>
        {delivery.nextAttemptAt === null ? '–' : <When at={delivery.nextAttemptAt} />}
      </td>
      <td className={table.end}>
        <Button
          small
          onClick={onOpen}
          aria-label={`Details of ${delivery.eventType}, ${exactTime(delivery.createdAt)}`}
        >
          Details
        </Button>
      </td>
    </tr>
  );
};
