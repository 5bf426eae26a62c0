import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Configuration, PreviewChangeRequest } from '../../../../gen/api.ts';
import { configurationQuery, parametersQuery } from '../../data/configuration-queries.ts';
import { catalogQuery } from '../../data/queries.ts';
import { Button } from '../../ui/Button.tsx';
import { Card, useTitle } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { ChangeStreams } from '../change-streams/ChangeStreams.tsx';
import styles from '../database/DatabaseFrame.module.css';
import { useDatabase } from '../database/use-database.ts';
import { ChangeCard } from './ChangeCard.tsx';
import { draftOf, requestOf } from './draft.ts';
import { Fields } from './Fields.tsx';
import { MaintenanceWindowCard } from './MaintenanceWindowCard.tsx';
import { Queue } from './Queue.tsx';
import { Revisions } from './Revisions.tsx';

/** The configuration of a database, and the change streams that push its events. */
export function ConfigurationPage() {
  const { database } = useDatabase();
  useTitle(`${database.name}: configuration`);
  return (
    <div className={styles.column}>
      <Shape />
      <ChangeStreams />
    </div>
  );
}

/** Configuration of a database. The differences of the draft are previewed, then requested. */
function Shape() {
  const { database, organizationId } = useDatabase();
  const configuration = useQuery(configurationQuery(organizationId, database.id));
  if (configuration.isError && configuration.data === undefined) {
    return <Failed read={configuration} />;
  }
  if (configuration.data === undefined) return <Skeleton lines={8} />;
  const { data, etag } = configuration.data;
  return (
    <Editor key={data.configuration.revision} configuration={data.configuration} etag={etag} />
  );
}

interface EditorProps {
  readonly configuration: Configuration;
  readonly etag: string | undefined;
}

function Editor({ configuration, etag }: EditorProps) {
  const { organizationId, database } = useDatabase();
  const catalog = useQuery(catalogQuery(organizationId));
  const parameters = useQuery(parametersQuery(organizationId, database.id));
  const [draft, setDraft] = useState(() => draftOf(configuration));
  /** Another wish than the draft's: to stop, to start, to go back to a revision. */
  const [other, setOther] = useState<PreviewChangeRequest>();
  const asked = useRef<HTMLDivElement>(null);
  /** The buttons of such wishes may be far from where their preview appears. */
  const wish = (request: PreviewChangeRequest) => {
    setOther(request);
    asked.current?.focus();
  };
  return (
    <div className={styles.columns}>
      <div className={styles.column}>
        <Failed read={catalog.isError ? catalog : parameters} />
        {(catalog.isPending || parameters.isPending) && <Skeleton lines={28} />}
        {catalog.data !== undefined && parameters.data !== undefined && (
          <Fields
            catalog={catalog.data}
            configuration={configuration}
            parameters={parameters.data}
            draft={draft}
            onChange={(change) => {
              setOther(undefined);
              setDraft({ ...draft, ...change });
            }}
          />
        )}
        <Running suspended={configuration.suspended} onAsk={wish} />
        <MaintenanceWindowCard databaseId={database.id} />
      </div>
      <div className={styles.column}>
        <div ref={asked} tabIndex={-1}>
          <ChangeCard
            request={other ?? requestOf(draft, configuration)}
            etag={etag}
            onDone={() => {
              setOther(undefined);
              setDraft(draftOf(configuration));
            }}
          />
        </div>
        <Queue />
        <Revisions onBack={(revision) => wish({ revision })} />
      </div>
    </div>
  );
}

interface RunningProps {
  readonly suspended: boolean;
  readonly onAsk: (request: PreviewChangeRequest) => void;
}

const Running = ({ suspended, onAsk }: RunningProps) => (
  <Card title={suspended ? 'It is stopped' : 'It runs'}>
    <div className={styles.danger}>
      <p>
        {suspended
          ? 'Nobody can use it. Started again, it goes on where it was, at the same addresses.'
          : 'Stopped, it answers nobody and costs its storage only. Data, addresses and keys stay.'}
      </p>
      <Button onClick={() => onAsk({ suspended: !suspended })}>
        {suspended ? 'Start it again' : 'Stop it'}
      </Button>
    </div>
  </Card>
);
