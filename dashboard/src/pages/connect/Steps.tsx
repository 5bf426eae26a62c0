import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { snippetQuery } from '../../data/connect-queries.ts';
import { shownOnce } from '../../lib/new-build.ts';
import { Button } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import frame from '../database/DatabaseFrame.module.css';
import { useDatabase } from '../database/use-database.ts';
import { NewKey } from '../keys/NewKey.tsx';
import styles from './Connect.module.css';
import { languages } from './search.ts';

const route = '/o/$slug/databases/$name/connect';

/** The steps install, environment and run, in the chosen language. */
export function Steps({ checkId }: { readonly checkId: string }) {
  const { database, organizationId } = useDatabase();
  const { language = 'node' } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const query = useQuery(snippetQuery(organizationId, database.id, language, checkId));
  const snippet = query.data;
  const [making, setMaking] = useState(false);
  // Put into the snippet of every language until the page is left.
  const [secret, setSecret] = useState<string>();
  return (
    <Card title="Connect a program">
      <div className={frame.stack}>
        <Tabs
          label="Language"
          tabs={languages}
          chosen={language}
          onChoose={(chosen) =>
            void navigate({
              search: (before) => ({ ...before, language: chosen }),
              replace: true,
            })
          }
        >
          <Failed read={query} />
          {!query.isError && snippet === undefined && <Skeleton lines={8} />}
          {snippet !== undefined && (
            <ol className={styles.steps}>
              {snippet.install !== null && (
                <Step title="Install">
                  <Code text={snippet.install.trimEnd()} what="the installation" />
                </Step>
              )}
              <Environment
                variables={snippet.environment}
                secret={secret}
                onMake={() => setMaking(true)}
              />
              {snippet.file !== null && (
                <Step title={`Write ${snippet.file.name}`}>
                  <Code text={snippet.file.content.trimEnd()} what={snippet.file.name} />
                </Step>
              )}
              <Step title="Run">
                <Code text={snippet.run.trimEnd()} what="the command" />
              </Step>
            </ol>
          )}
        </Tabs>
        {snippet !== undefined && snippet.notes !== '' && (
          <p className={frame.soft}>{snippet.notes}</p>
        )}
        <NewKey
          open={making}
          databaseId={database.id}
          onClose={() => setMaking(false)}
          onMade={setSecret}
        />
      </div>
    </Card>
  );
}

const Step = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: React.ReactNode;
}) => (
  <li className={styles.step}>
    <h3>{title}</h3>
    {children}
  </li>
);

interface EnvironmentProps {
  readonly variables: Readonly<Record<string, string>>;
  /** The key that was made here. */
  readonly secret: string | undefined;
  readonly onMake: () => void;
}

function Environment({ variables, secret, onMake }: EnvironmentProps) {
  const lines = Object.entries({ ...variables, LEDGERHOUSE_API_KEY: secret ?? 'lhk_…' });
  const text = lines.map(([name, value]) => `export ${name}=${value}`).join('\n');
  return (
    <Step title="Set the environment">
      <div {...(secret !== undefined && shownOnce)}>
        <Code text={text} what="the environment" />
      </div>
      {secret === undefined ? (
        <p>
          <Button onClick={onMake}>Make a key for this database</Button>
        </p>
      ) : (
        <p role="status">The new key is shown this once. Keep it where your program reads it.</p>
      )}
    </Step>
  );
}
