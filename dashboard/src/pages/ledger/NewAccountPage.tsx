import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readInteger } from '../../lib/digits.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox, Input } from '../../ui/Field.tsx';
import { Card, useTitle } from '../../ui/Page.tsx';
import { Badge, Skeleton } from '../../ui/States.tsx';
import { useDatabase } from '../database/use-database.ts';
import { statusWords } from './foresee.ts';
import styles from './Ledger.module.css';
import { LedgerNav } from './LedgerNav.tsx';
import { AccountLink } from './Links.tsx';
import { LeaveSending } from './LeaveSending.tsx';
import { firstLedgerQuery } from './queries.ts';
import { SendProblem } from './SendProblem.tsx';
import { useFieldNames, useLedgerAddress } from './use-ledger.ts';
import { draftId, isUnknown, useSend } from './use-send.ts';

const flags = [
  ['debits_must_not_exceed_credits', 'Never debited more than it is credited, as a wallet.'],
  ['credits_must_not_exceed_debits', 'Never credited more than it is debited.'],
  ['history', 'Keeps its balance after each transfer, so that old balances can be asked for.'],
] as const;
type Flag = (typeof flags)[number][0];

const fields = [
  ['id', 'ID', 128, 'Made here; any other that is not taken will do.'],
  [
    'ledger',
    'Ledger',
    32,
    'Transfers are between accounts of one ledger: one currency, or one kind of goods.',
  ],
  ['code', 'Code', 16, 'Your own classification of accounts.'],
] as const;

export function NewAccountPage() {
  const first = useQuery(firstLedgerQuery(useLedgerAddress()));
  /** Accounts are made one after the other in the same ledger. */
  const [{ round, former }, setMade] = useState({ round: 0, former: '' });
  const known = former || (first.data ?? (first.isError ? '' : undefined));
  useTitle('New account');
  return (
    <div className={styles.page}>
      <LedgerNav />
      <h2>New account</h2>
      {known === undefined ? (
        <Skeleton />
      ) : (
        <Form
          key={round}
          ledger={known === '' ? '1' : known}
          onNew={(ledger) => setMade({ round: round + 1, former: ledger })}
        />
      )}
    </div>
  );
}

interface FormProps {
  readonly ledger: string;
  readonly onNew: (ledger: string) => void;
}

function Form({ ledger, onNew }: FormProps) {
  const organization = useOrganization();
  const { database } = useDatabase();
  const [values, setValues] = useState(() => ({ id: draftId(), ledger, code: '1' }));
  const [chosen, setChosen] = useState<readonly Flag[]>([]);
  const send = useSend('create_accounts');
  const names = useFieldNames();
  const wrong = fields.filter(([name, , bits]) => {
    const digits = readInteger(values[name], bits);
    return digits === undefined || digits === '0';
  });
  const [answer] = send.data ?? [];
  const isMade = answer?.status === 'created' || answer?.status === 'exists';
  const submit = () => {
    const of = (name: keyof typeof values, bits: 16 | 32 | 128) => readInteger(values[name], bits);
    send.mutate([
      { id: of('id', 128), ledger: of('ledger', 32), code: of('code', 16), flags: chosen },
    ]);
  };
  const refused =
    whyNot(organization, 'writeLedger') ??
    (wrong.length > 0 ? 'Correct the errors first.' : undefined);
  const inputs = fields.map((field) => {
    const [name, label, bits, hint] = field;
    return (
      <Input
        key={name}
        label={label}
        mono
        autoComplete="off"
        value={values[name]}
        hint={(name === 'code' ? names.codeName('account', values.code.trim()) : undefined) ?? hint}
        error={wrong.includes(field) ? `Must be an integer of ${bits} bits, not 0.` : undefined}
        onChange={(event) => {
          setValues({ ...values, [name]: event.target.value });
          send.reset();
        }}
      />
    );
  });
  return (
    <Card>
      {(send.isPending || isUnknown(send.error)) && <LeaveSending what="accounts" />}
      <form
        className={styles.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (refused === undefined && !send.isPending) submit();
        }}
      >
        {inputs[0]}
        <div className={styles.row}>{inputs.slice(1)}</div>
        {flags.map(([flag, about]) => (
          <Checkbox
            key={flag}
            label={<code>{flag}</code>}
            hint={about}
            checked={chosen.includes(flag)}
            onChange={(event) => {
              setChosen(
                event.target.checked ? [...chosen, flag] : chosen.filter((one) => one !== flag),
              );
              send.reset();
            }}
          />
        ))}
        {send.isError && <SendProblem error={send.error} what="accounts" />}
        {answer !== undefined && (
          <p role="status">
            <Badge tone={isMade ? 'good' : 'bad'}>{isMade ? 'There' : 'Not made'}</Badge>{' '}
            <AccountLink id={answer.id} /> {statusWords(answer.status)}.
          </p>
        )}
        <div className={styles.bar}>
          <Button type="submit" look="write" busy={send.isPending} disabledReason={refused}>
            {`Make account in ${database.name}`}
          </Button>
          {isMade && <Button onClick={() => onNew(values.ledger)}>Another one</Button>}
        </div>
      </form>
    </Card>
  );
}
