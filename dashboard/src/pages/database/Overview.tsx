import { said } from '../../lib/said.ts';
import { shownMoney } from '../../lib/money.ts';
import { Copy } from '../../ui/Copy.tsx';
import { Card, Facts } from '../../ui/Page.tsx';
import { Badge } from '../../ui/States.tsx';
import { Exactly, When } from '../../ui/When.tsx';
import { DangerZone } from './DangerZone.tsx';
import styles from './DatabaseFrame.module.css';
import { ExampleNote } from './ExampleNote.tsx';
import { gatewayWords, healthWords, nodeWords } from './health-words.ts';
import { Jobs } from './Jobs.tsx';
import { Labels } from './Labels.tsx';
import { RestoreDeleted } from './RestoreDeleted.tsx';
import { useDatabase } from './use-database.ts';

export function Overview() {
  const { database } = useDatabase();
  const isGone = database.status === 'DELETED' || database.status === 'DELETING';
  return (
    <div className={styles.columns}>
      <div className={styles.column}>
        {isGone && <RestoreDeleted />}
        <ExampleNote {...database} />
        <Jobs />
        {!isGone && <Health />}
        {!isGone && <DangerZone />}
      </div>
      <div className={styles.column}>
        <Shape />
        <Connection />
        <Labels />
      </div>
    </div>
  );
}

function Health() {
  const { database } = useDatabase();
  return (
    <Card title="Health">
      <div className={styles.stack}>
        <p>{healthWords(database)}</p>
        {database.nodes.length > 0 && (
          <ul className={styles.nodes} aria-label="Nodes">
            {database.nodes.map(({ index, ready, status }) => {
              const seen = database.usage?.nodes.find((one) => one.index === index);
              return (
                <li key={index} className={styles.node}>
                  <strong>Node {index}</strong>
                  <span>
                    <Badge tone={ready ? 'good' : 'warn'}>{status}</Badge>
                  </span>
                  {seen !== undefined && (
                    <span className={styles.soft}>
                      {nodeWords(seen, database.nodes.length === 1)}
                    </span>
                  )}
                </li>
              );
            })}
          </ul>
        )}
        <p className={styles.soft}>{gatewayWords(database.gateway)}</p>
      </div>
    </Card>
  );
}

function Shape() {
  const { database } = useDatabase();
  const { engine, estimatedMonthlyPrice: price } = database;
  const update = engine.updateAvailable ? ` (${engine.latestVersion} is available)` : '';
  return (
    <Card title="Shape">
      <Facts
        rows={[
          ['Topology', `${database.clusterConfiguration} (${countOf(database.nodeCount)})`],
          ['Size', database.clusterSize],
          ['Storage', `${database.selectedStorageGb} GiB ${database.storageTier}`],
          ['Engine', `${engine.name} ${engine.version}${update}`],
          ...(engine.forcedUpdate === null
            ? []
            : [
                [
                  'Update',
                  <span key="update">
                    {engine.forcedUpdate.version}, in the first maintenance window after{' '}
                    <Exactly at={engine.forcedUpdate.forcedAt} />
                  </span>,
                ] as const,
              ]),
          ['Place', `${database.provider}, ${database.region}`],
          ['Price', price === null ? 'no price' : `${shownMoney(price)} a month`],
          [
            'Made',
            <span key="made">
              {<Exactly at={database.createdAt} />} by {said(database.createdBy.display)}
            </span>,
          ],
        ]}
      />
    </Card>
  );
}

const countOf = (nodes: number): string => (nodes === 1 ? 'one node' : `${nodes} nodes`);

function Connection() {
  const { database } = useDatabase();
  const { connection, clusterId } = database;
  const rows = [
    ['Database ID', database.id],
    ['Cluster ID', clusterId],
    ['HTTP', connection.httpUrl],
    ...connection.addresses.map((one, index) => [`Address ${index + 1}`, one] as const),
  ] as const;
  return (
    <Card title="Connection">
      <div className={styles.stack}>
        <Facts
          rows={rows.map(
            ([name, text]) =>
              [
                name,
                text === null ? (
                  'not known yet'
                ) : (
                  <span key={name}>
                    <code>{text}</code> <Copy text={text ?? ''} what={`the ${name}`} />
                  </span>
                ),
              ] as const,
          )}
        />
        {database.readyAt !== null && (
          <p className={styles.soft}>
            Addresses are reached within the Kubernetes cluster. It served first{' '}
            <When at={database.readyAt} />.
          </p>
        )}
      </div>
    </Card>
  );
}
