import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Database } from '../../../../gen/api.ts';
import { keep, kept } from '../../lib/kept.ts';
import { useOrganization } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { ExampleNote } from '../database/ExampleNote.tsx';
import styles from './Introduction.module.css';

const seenKey = 'ledgerhouse.introduction';
const seen = 'seen';

interface Props {
  /** The database that the steps lead to; `undefined`: there is none yet. */
  readonly database: Pick<Database, 'name' | 'labels'> | undefined;
}

/** Five steps for a first-time visitor. Dismissing them is remembered in this browser. */
export function Introduction({ database }: Props) {
  const [shown, setShown] = useState(() => kept(seenKey) !== seen);
  if (!shown) return null;
  const dismiss = () => {
    keep(seenKey, seen);
    setShown(false);
  };
  return (
    <Card
      title="The first five steps"
      actions={
        <Button small onClick={dismiss}>
          Dismiss
        </Button>
      }
    >
      {database !== undefined && <ExampleNote {...database} />}
      <ol className={styles.steps}>
        <Step title="Create a database" to={<NewDatabase />}>
          The price stands beside the form before anything is made.
        </Step>
        <Step title="Make accounts" to={<Into database={database} page="new-account" />}>
          One for each thing that has a balance: a bank, a customer, a fee.
        </Step>
        <Step title="Send a transfer" to={<Into database={database} page="new-transfer" />}>
          Every balance before and after it is shown before it is sent.
        </Step>
        <Step title="Read a statement" to={<Into database={database} page="" />}>
          Open an account from a query: its balance, chart and statement.
        </Step>
        <Step title="See that it adds up" to={<Into database={database} page="trial-balance" />}>
          The trial balance shows that debits equal credits.
        </Step>
      </ol>
    </Card>
  );
}

const Step = ({ title, to, children }: { title: string; to: ReactNode; children: string }) => (
  <li>
    <strong>{title}</strong>
    <span className={styles.about}>{children}</span>
    {to}
  </li>
);

function NewDatabase() {
  const { slug } = useOrganization();
  return (
    <Link to="/o/$slug/databases/new" params={{ slug }}>
      New database
    </Link>
  );
}

const paths = {
  '': ['/o/$slug/databases/$name/explorer', 'Query'],
  'new-account': ['/o/$slug/databases/$name/explorer/new-account', 'New account'],
  'new-transfer': ['/o/$slug/databases/$name/explorer/new-transfer', 'New transfer'],
  'trial-balance': ['/o/$slug/databases/$name/explorer/trial-balance', 'Trial balance'],
} as const;

interface IntoProps extends Props {
  readonly page: keyof typeof paths;
}

function Into({ database, page }: IntoProps) {
  const { slug } = useOrganization();
  if (database === undefined) return <span className={styles.about}>after the first step</span>;
  const [to, title] = paths[page];
  return (
    <Link to={to} params={{ slug, name: database.name }} search={{}}>
      {title} in {database.name}
    </Link>
  );
}
