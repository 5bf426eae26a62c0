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
  readonly onSave: (search: ExplorerSearch) => void;
}

/** A draft of the request; running it puts it into the address. */
export function QueryForm({ search, busy, onRun, onSave }: Props) {
  const [draft, setDraft] = useState(search);
  const [tried, setTried] = useState(search.run === '1');
  const now = useNow();
  const operation: OperationName = draft.op ?? 'query_accounts';
  const { body, errors, understood } = planQuery(operation, draft, now);
  const set = (name: keyof ExplorerSearch, value: string) =>
    setDraft(readExplorerSearch({ ...draft, [name]: value }));
  const shown = tried ? errors : {};
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
      {draft.body === undefined ? (
        <Fields
          operation={operation}
          draft={draft}
          understood={understood}
          errors={shown}
          onSet={set}
        />
      ) : (
        <TextArea
          label="JSON"
          mono
          rows={10}
          spellCheck={false}
          value={draft.body}
          hint="Sent as it is. Integers above 2^53 are exact, with or without quotes."
          error={shown['body']}
          // Empty text would bring the fields back while somebody types.
          onChange={(event) => set('body', event.target.value || ' ')}
        />
      )}
      <div className={styles.buttons}>
        <Button type="submit" look="main" busy={busy}>
          Run
        </Button>
        {draft.body === undefined ? (
          <Button small look="quiet" onClick={() => set('body', indented(body) ?? '{}')}>
            As JSON
          </Button>
        ) : (
          <Button
            small
            look="quiet"
            onClick={() => {
              const { body: _body, ...fields } = draft;
              setDraft(fields);
            }}
          >
            As a form
          </Button>
        )}
        <Button
          small
          look="quiet"
          onClick={() => {
            setTried(true);
            if (body !== undefined) onSave(draft);
          }}
        >
          Save
        </Button>
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly operation: OperationName;
  readonly draft: ExplorerSearch;
  readonly understood: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly onSet: (name: keyof ExplorerSearch, value: string) => void;
}

/** What is asked for where a field is empty. */
const placeholders: Readonly<Record<string, string>> = {
  from: 'beginning',
  to: 'now',
  limit: usualLimit,
};

/** The fields that the operation takes. */
function Fields({ operation, draft, understood, errors, onSet }: FieldsProps) {
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
      placeholder={placeholders[name]}
      hint={understood[name]}
      error={errors[name]}
      onChange={(event) => onSet(name, event.target.value)}
    />
  );
  return (
    <>
      {has('ids') && (
        <TextArea
          label="IDs"
          mono
          rows={5}
          spellCheck={false}
          value={draft.ids ?? ''}
          hint="One a line."
          error={errors['ids']}
          onChange={(event) => onSet('ids', event.target.value)}
        />
      )}
      {has('account_id') && text('account_id', 'Account ID')}
      {has('sides') && (
        <Select
          label="Sides"
          value={draft.side ?? ''}
          onChange={(event) => onSet('side', event.target.value)}
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
      {has('userData') && <UserData draft={draft} errors={errors} onSet={onSet} />}
      {has('limit') && (
        <>
          {text('limit', 'Rows at most')}
          <Select
            label="Order"
            value={draft.order ?? ''}
            onChange={(event) => onSet('order', event.target.value)}
          >
            <option value="">Newest first</option>
            <option value="oldest">Oldest first</option>
          </Select>
        </>
      )}
    </>
  );
}

/** The same JSON on several lines. Its integers are strings or small, so nothing is rounded. */
const indented = (body: string | undefined): string | undefined =>
  body === undefined ? undefined : JSON.stringify(JSON.parse(body), undefined, 2);

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
