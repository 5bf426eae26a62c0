import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { checkQuery, newCheckQuery } from '../../data/connect-queries.ts';
import { Copy } from '../../ui/Copy.tsx';
import { Card, Facts } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Skeleton } from '../../ui/States.tsx';
import frame from '../database/DatabaseFrame.module.css';
import { useDatabase } from '../database/use-database.ts';
import { Steps } from './Steps.tsx';
import { Verification } from './Verification.tsx';

/** Leads from nothing to a program that reaches the database; the page sees its lookup arrive. */
export function Connect() {
  const { database, organizationId } = useDatabase();
  const [number, setNumber] = useState(0);
  const making = useMemo(
    () => newCheckQuery(organizationId, database.id, number),
    [organizationId, database.id, number],
  );
  const made = useQuery(making);
  const checkId = made.data?.id ?? '';
  const standing = useQuery(checkQuery(organizationId, database.id, checkId));
  const check = standing.data ?? made.data;
  if (made.isError && made.data === undefined) return <Failed read={made} />;
  return (
    <div className={frame.columns}>
      <div className={frame.column}>
        <Steps checkId={checkId} />
      </div>
      <div className={frame.column}>
        <Failed read={standing} />
        {check === undefined ? (
          <Card title="Connection">
            <Skeleton lines={4} />
          </Card>
        ) : (
          <Verification check={check} onAgain={() => setNumber(number + 1)} />
        )}
        <Addresses />
      </div>
    </div>
  );
}

function Addresses() {
  const { database } = useDatabase();
  const { addresses, clusterId } = database.connection;
  const rows = [
    ['TB_ADDRESS', addresses.join(',')],
    ['TB_CLUSTER_ID', clusterId ?? ''],
  ] as const;
  return (
    <Card title="Inside the Kubernetes cluster">
      <div className={frame.stack}>
        <p className={frame.soft}>
          Pods that may connect reach the replicas directly, without the command and without a key.
        </p>
        <Facts
          rows={rows.map(
            ([name, text]) =>
              [
                name,
                <span key={name}>
                  <code>{text}</code> <Copy text={`${name}=${text}`} what={name} />
                </span>,
              ] as const,
          )}
        />
      </div>
    </Card>
  );
}
