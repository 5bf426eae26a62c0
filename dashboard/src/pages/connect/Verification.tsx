import type { ConnectionCheck } from '../../../../gen/api.ts';
import { Button } from '../../ui/Button.tsx';
import { Card, Facts } from '../../ui/Page.tsx';
import { Badge } from '../../ui/States.tsx';
import { When } from '../../ui/When.tsx';
import frame from '../database/DatabaseFrame.module.css';
import { adviceFor, unseen } from './advice.ts';
import styles from './Connect.module.css';

interface Props {
  readonly check: ConnectionCheck;
  /** Makes another check. */
  readonly onAgain: () => void;
}

/** Shows whether the lookup has arrived, and what kept clients away. */
export function Verification({ check, onAgain }: Props) {
  const { status, observed, troubles } = check;
  return (
    <Card
      title="Connection"
      actions={status !== 'WAITING' && <Button onClick={onAgain}>Check again</Button>}
    >
      <div className={frame.stack} role="status">
        {status === 'WAITING' && <Waiting check={check} />}
        {observed !== null && <Observed observed={observed} />}
        {status === 'EXPIRED' && (
          <p>
            <Badge tone="soft">no lookup came</Badge> Nothing was seen within 15 minutes.
          </p>
        )}
        {troubles.length > 0 && <Troubles troubles={troubles} />}
        {observed === null && troubles.length === 0 && <Unseen />}
      </div>
    </Card>
  );
}

function Waiting({ check: { seenBy, expiresAt } }: { readonly check: ConnectionCheck }) {
  return (
    <>
      <p>
        <Badge tone="busy">waiting</Badge> Run the program. This page sees its lookup as it arrives.
        The check ends <When at={expiresAt} />.
      </p>
      {!seenBy.includes('cluster') && (
        <p className={frame.soft}>
          TigerBeetle tells nobody of its clients’ requests: a lookup from inside the Kubernetes
          cluster is not seen here.
        </p>
      )}
    </>
  );
}

const ways: Readonly<Record<NonNullable<ConnectionCheck['observed']>['via'], string>> = {
  tunnel: 'ledgerhouse connect',
  http: 'the HTTP API',
  cluster: 'the addresses inside the cluster',
};

function Observed({ observed }: { readonly observed: NonNullable<ConnectionCheck['observed']> }) {
  const { at, via, client, clientVersion, ip, latencyMs } = observed;
  const program = [client ?? 'official client', clientVersion].filter((word) => word !== null);
  return (
    <>
      <p>
        <Badge tone="good">connected</Badge> <When at={at} />
      </p>
      <Facts
        rows={[
          ['By', ways[via]],
          ['Program', program.join(' ')],
          ...(ip === null ? [] : [['From', <code key="from">{ip}</code>] as const]),
          ...(latencyMs === null ? [] : [['Answered in', `${latencyMs} ms`] as const]),
        ]}
      />
    </>
  );
}

const Troubles = ({ troubles }: { readonly troubles: ConnectionCheck['troubles'] }) => (
  <section aria-label="What kept clients out">
    <h3>What kept clients out</h3>
    <ul className={styles.troubles}>
      {troubles.map(({ at, code, detail }) => (
        <li key={`${at} ${code}`}>
          <p>
            <Badge tone="warn">{code}</Badge> <When at={at} />
          </p>
          <p>{detail}</p>
          <p className={frame.soft}>{adviceFor(code)}</p>
        </li>
      ))}
    </ul>
  </section>
);

const Unseen = () => (
  <details className={styles.unseen}>
    <summary>Nothing arrives?</summary>
    <dl>
      {unseen.map(([cause, what]) => (
        <div key={cause}>
          <dt>{cause}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </details>
);
