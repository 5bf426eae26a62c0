import { useState } from 'react';
import { said } from '../../lib/said.ts';
import { readInteger } from '../../lib/digits.ts';
import { asDatabaseLabel, databaseLabelKeyOf, scaleMax } from '../../lib/ledger-labels.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import { Card, useTitle } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Empty } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { useUpdate } from '../database/use-update.ts';
import { FieldNames } from './FieldNames.tsx';
import styles from './Ledger.module.css';
import { LedgerNav } from './LedgerNav.tsx';
import { useLedgerLabels } from './use-ledger.ts';

/** Form in which the amounts of each ledger are shown to everybody who sees the database. */
export function LedgersPage() {
  const organization = useOrganization();
  const labels = useLedgerLabels();
  const update = useUpdate();
  const refused = whyNot(organization, 'changeDatabase');
  useTitle('Ledgers');
  const remove = (ledger: string) =>
    update.mutate(
      { labels: { [databaseLabelKeyOf(ledger)]: null } },
      { onSuccess: () => say('Its amounts are integers again') },
    );
  return (
    <div className={styles.page}>
      <LedgerNav />
      <h2>Ledgers</h2>
      <p className={styles.about}>
        The ledger stores integers. A label says how those of one ledger are shown and typed here:
        shifted by a scale, with a currency. Nothing that is stored or sent changes.
      </p>
      {update.isError && <Problem error={update.error} />}
      {labels.length === 0 ? (
        <Empty title="No ledger has a label">All amounts are shown as integers.</Empty>
      ) : (
        <Table
          label="Ledgers"
          heads={['Ledger', 'Name', 'Currency', { title: 'Scale', end: true }]}
          actions
        >
          {labels.map(({ ledger, name, currency, scale }) => (
            <tr key={ledger}>
              <td>{ledger}</td>
              <td>
                <span className={table.words}>{said(name)}</span>
              </td>
              <td>{currency ?? 'none'}</td>
              <td className={styles.number}>{scale}</td>
              <td className={table.end}>
                <Button
                  small
                  aria-label={`Remove the label of ledger ${ledger}`}
                  busy={update.isPending}
                  disabledReason={refused}
                  onClick={() => remove(ledger)}
                >
                  Remove
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <LabelForm refused={refused} />
      <FieldNames refused={refused} />
    </div>
  );
}

const nothing = { ledger: '', currency: '', scale: '2', name: '' };

function LabelForm({ refused }: { readonly refused: string | undefined }) {
  const [draft, setDraft] = useState(nothing);
  const [tried, setTried] = useState(false);
  const update = useUpdate();
  const ledger = readInteger(draft.ledger, 32);
  const scale = readInteger(draft.scale, 16);
  const currency = draft.currency.trim().toUpperCase();
  const errors = {
    ledger: ledger === undefined || ledger === '0' ? 'Must be an integer of 32 bits, not 0.' : '',
    currency: /^[A-Z]{3,8}$/.test(currency) ? '' : '3 to 8 letters, such as EUR.',
    scale: scale === undefined || BigInt(scale) > BigInt(scaleMax) ? `From 0 to ${scaleMax}.` : '',
    name: '',
  };
  const isRight = Object.values(errors).every((error) => error === '');
  const save = () => {
    setTried(true);
    if (!isRight || ledger === undefined || scale === undefined) return;
    const name = draft.name.trim().slice(0, 100);
    const label = asDatabaseLabel({ ledger, scale, currency, name });
    update.mutate(
      { labels: Object.fromEntries([label]) },
      {
        onSuccess: () => {
          setDraft(nothing);
          setTried(false);
          say('The label is set');
        },
      },
    );
  };
  return (
    <Card title="Label a ledger">
      <form
        className={styles.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (refused === undefined && !update.isPending) save();
        }}
      >
        <div className={styles.row}>
          {fields.map(([name, label, hint]) => (
            <Input
              key={name}
              label={label}
              autoComplete="off"
              maxLength={100}
              value={draft[name]}
              hint={hint}
              error={tried && errors[name] !== '' ? errors[name] : undefined}
              onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
            />
          ))}
        </div>
        {update.isError && <Problem error={update.error} />}
        <div>
          <Button type="submit" look="main" busy={update.isPending} disabledReason={refused}>
            Set the label
          </Button>
        </div>
      </form>
    </Card>
  );
}

const fields = [
  ['ledger', 'Ledger', 'Its number.'],
  ['currency', 'Currency', 'Such as EUR.'],
  ['scale', 'Scale', 'Digits behind the point: 2 for cents.'],
  ['name', 'Name', 'For people; may be empty.'],
] as const;
