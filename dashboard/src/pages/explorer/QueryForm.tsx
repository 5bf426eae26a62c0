import { useState, type FormEvent } from 'react';
import { useNow } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Input, Select, TextArea } from '../../ui/Field.tsx';
import styles from './Explorer.module.css';
import { operationNames, operations, takes, type Field, type OperationName } from './operations.ts';
import { planQuery, usualLimit } from './request.ts';
import { readExplorerSearch, type ExplorerSearch } from './search.ts';

interface Props {
  readonly search: ExplorerSearch;
  readonly busy: boolean;
  readonly onRun: (search: ExplorerSearch) => void;
}

/** A draft of the request; running it puts it into the address. */
export function QueryForm({ search, busy, onRun }: Props) {
  const [draft, setDraft] = useState(search);
  const [tried, setTried] = useState(search.run === '1');
  const now = useNow();
  const operation: OperationName = draft.op ?? 'query_accounts';
  const { body, errors, understood } = planQuery(operation, draft, now);
  const set = (name: keyof ExplorerSearch, value: string) =>
    setDraft(readExplorerSearch({ ...draft, [name]: value }));
  const shown = tried ? errors : {};
  const has = (field: Field) => takes(operation, field);
  const text = (
    name: 'account_id' | 'ledger' | 'code' | 'from' | 'to' | 'limit',
    label: string,
  ) => (
    <Input
      label={label}
      mono
      autoComplete="off"
      spellCheck={false}
      value={draft[name] ?? ''}
      placeholder={name === 'limit' ? usualLimit : undefined}
      hint={understood[name]}
      error={shown[name]}
      onChange={(event) => set(name, event.target.value)}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (body !== undefined) onRun(draft);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Select
        label="Operation"
        value={operation}
        onChange={(event) => {
          setTried(false);
          set('op', event.target.value);
        }}
      >
        {operationNames.map((name) => (
          <option key={name} value={name}>
            {operations[name].title}
          </option>
        ))}
      </Select>
      {has('ids') && (
        <TextArea
          label="IDs"
          mono
          rows={5}
          spellCheck={false}
          value={draft.ids ?? ''}
          hint="One a line."
          error={shown['ids']}
          onChange={(event) => set('ids', event.target.value)}
        />
      )}
      {has('account_id') && text('account_id', 'Account ID')}
      {has('sides') && (
        <Select
          label="Sides"
          value={draft.side ?? ''}
          onChange={(event) => set('side', event.target.value)}
        >
          <option value="">Debits and credits</option>
          <option value="debits">Debits</option>
          <option value="credits">Credits</option>
        </Select>
      )}
      <div className={styles.pair}>
        {has('ledger') && text('ledger', 'Ledger')}
        {has('code') && text('code', 'Code')}
      </div>
      {has('range') && (
        <div className={styles.pair}>
          {text('from', 'From')}
          {text('to', 'To')}
        </div>
      )}
      {has('userData') && <UserData draft={draft} errors={shown} onSet={set} />}
      {has('limit') && (
        <>
          {text('limit', 'Rows at most')}
          <Select
            label="Order"
            value={draft.order ?? ''}
            onChange={(event) => set('order', event.target.value)}
          >
            <option value="">Newest first</option>
            <option value="oldest">Oldest first</option>
          </Select>
        </>
      )}
      <div className={styles.buttons}>
        <Button type="submit" look="main" busy={busy}>
          Run
        </Button>
      </div>
    </form>
  );
}

interface UserDataProps {
  readonly draft: ExplorerSearch;
  readonly errors: Readonly<Record<string, string>>;
  readonly onSet: (name: keyof ExplorerSearch, value: string) => void;
}

const userData = ['user_data_128', 'user_data_64', 'user_data_32'] as const;

const UserData = ({ draft, errors, onSet }: UserDataProps) => (
  <details open={userData.some((name) => draft[name] !== undefined)}>
    <summary>User data</summary>
    <div className={styles.form}>
      {userData.map((name) => (
        <Input
          key={name}
          label={name}
          mono
          autoComplete="off"
          value={draft[name] ?? ''}
          error={errors[name]}
          onChange={(event) => onSet(name, event.target.value)}
        />
      ))}
    </div>
  </details>
);
