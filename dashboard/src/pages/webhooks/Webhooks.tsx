import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { WebhookEndpoint } from '../../../../gen/api.ts';
import { webhooksQuery } from '../../data/webhook-queries.ts';
import { said } from '../../lib/said.ts';
import { useOrganization } from '../../shell/context.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { ShownSecret } from '../../ui/ShownSecret.tsx';
import { Badge, Empty, Skeleton, type Tone } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { When } from '../../ui/When.tsx';
import { DatabaseName } from '../databases/DatabaseName.tsx';
import { NewWebhook } from './NewWebhook.tsx';
import { WebhookActions } from './WebhookActions.tsx';

const tones: Readonly<Record<WebhookEndpoint['status'], Tone>> = {
  ENABLED: 'good',
  DISABLED: 'soft',
  AUTO_DISABLED: 'bad',
};

const words: Readonly<Record<WebhookEndpoint['status'], string>> = {
  ENABLED: 'enabled',
  DISABLED: 'disabled',
  AUTO_DISABLED: 'disabled: it failed',
};

export function Webhooks() {
  const organization = useOrganization();
  const list = useQuery(webhooksQuery(organization.id));
  const rows = list.data?.data ?? [];
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <Page
      title="Webhooks"
      about="URLs that get the organization’s events as they happen, signed by Standard Webhooks."
      actions={
        <>
          <Link
            to="/o/$slug/settings/webhooks/deliveries"
            params={{ slug: organization.slug }}
            className={buttonClass()}
          >
            Deliveries
          </Link>
          <Button look="main" onClick={() => setMaking(true)}>
            New endpoint
          </Button>
        </>
      }
    >
      <Failed read={list} />
      {list.isPending && <Skeleton lines={4} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title="No endpoint yet">
          The first one tells a program of yours when a database is ready, fails or changes.
        </Empty>
      )}
      {rows.length > 0 && (
        <Table label="Endpoints" heads={['URL', 'Status', 'Events', 'Last 24 hours']} actions>
          {rows.map((endpoint) => (
            <Row key={endpoint.id} endpoint={endpoint} onSecret={setSecret} />
          ))}
        </Table>
      )}
      <NewWebhook open={making} onClose={() => setMaking(false)} onMade={setSecret} />
      <ShownSecret
        title="The endpoint’s secret"
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </Page>
  );
}

/** A URL that is too long for its column goes on behind a slash. */
const partsOf = (url: string): ReactNode =>
  url.split(/(?<=[^/]\/)(?!\/)/).flatMap((part, index) => [<wbr key={index} />, part]);

interface RowProps {
  readonly endpoint: WebhookEndpoint;
  readonly onSecret: (secret: string) => void;
}

function Row({ endpoint, onSecret }: RowProps) {
  const { slug } = useOrganization();
  const { stats24h: counts, disabledReason, failingSince } = endpoint;
  return (
    <tr>
      <td>
        <span className={table.name}>{partsOf(endpoint.url)}</span>
        <div className={table.soft}>{said(endpoint.description) || endpoint.id}</div>
      </td>
      <td>
        <Badge
          tone={
            failingSince !== null && endpoint.status === 'ENABLED' ? 'warn' : tones[endpoint.status]
          }
        >
          {words[endpoint.status]}
        </Badge>
        {disabledReason !== null && <div className={table.soft}>{disabledReason}</div>}
        {disabledReason === null && failingSince !== null && (
          <div className={table.soft}>
            failing since <When at={failingSince} />
          </div>
        )}
      </td>
      <td>
        {endpoint.eventTypes.map((type) => (
          <div key={type}>
            <code>{type}</code>
          </div>
        ))}
        {'databaseId' in endpoint.databaseScope && (
          <div className={table.soft}>
            of <DatabaseName id={endpoint.databaseScope.databaseId} />
          </div>
        )}
      </td>
      <td className={table.keep}>
        <Link
          to="/o/$slug/settings/webhooks/deliveries"
          params={{ slug }}
          search={{ endpointId: endpoint.id }}
          aria-label={`${counts.success} delivered ${counts.failed} failed ${counts.pending} pending: ${endpoint.url}`}
        >
          {counts.success} delivered
          <br />
          {counts.failed} failed
          <br />
          {counts.pending} pending
        </Link>
      </td>
      <td className={`${table.end} ${table.keep}`}>
        <div className={table.acts}>
          <WebhookActions endpoint={endpoint} onSecret={onSecret} />
        </div>
      </td>
    </tr>
  );
}
