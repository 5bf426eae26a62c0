import { useState } from 'react';
import { readInteger } from '../../lib/digits.ts';
import {
  fieldNamesOf,
  labelsWithName,
  labelsWithoutName,
  namedFields,
  namedRecords,
  nameMax,
  valueFormats,
  type FieldName,
  type NamedField,
} from '../../lib/field-names.ts';
import { said } from '../../lib/said.ts';
import { wordOf } from '../../lib/search.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Input, Select } from '../../ui/Field.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { useDatabase } from '../database/use-database.ts';
import { useUpdate } from '../database/use-update.ts';
import styles from './Ledger.module.css';

const recordWords = { account: 'Accounts', transfer: 'Transfers' } as const;
const fieldWords: Readonly<Record<NamedField, string>> = {
  code: 'Code',
  user_data_128: 'User data 128',
  user_data_64: 'User data 64',
  user_data_32: 'User data 32',
};

/** The field that a name is for, in words. */
const wordsOf = ({ field, code }: Pick<FieldName, 'field' | 'code'>): string =>
  `${fieldWords[field]} ${code}`.trim();

interface Props {
  /** Why the person may not change names; `undefined`: they may. */
  readonly refused: string | undefined;
}

/** The names of codes and of user data, and the form that gives one. */
export function FieldNames({ refused }: Props) {
  const { database } = useDatabase();
  const names = fieldNamesOf(database.labels);
  const update = useUpdate();
  const remove = (name: FieldName) =>
    update.mutate(
      { labels: labelsWithoutName(database.labels, name) },
      { onSuccess: () => say('The name is taken away') },
    );
  return (
    <Card title="Names of codes and user data">
      <div className={styles.stack}>
        <p className={styles.about}>
          The ledger stores numbers. A name stands beside a code, or in the place of “User data”,
          wherever they are shown here.
        </p>
        {update.isError && <Problem error={update.error} />}
        {names.length > 0 && (
          <Table label="Names" heads={['Of', 'Field', 'Name', 'Shown as']} actions>
            {names.map((name) => (
              <tr key={`${name.record}${wordsOf(name)}`}>
                <td>{recordWords[name.record]}</td>
                <td className={table.keep}>{wordsOf(name)}</td>
                <td>
                  <span className={table.words}>{said(name.name)}</span>
                </td>
                <td>{name.format}</td>
                <td className={table.end}>
                  <Button
                    small
                    aria-label={`Remove the name of ${wordsOf(name)} of ${name.record}s`}
                    busy={update.isPending}
                    disabledReason={refused}
                    onClick={() => remove(name)}
                  >
                    Remove
                  </Button>
                </td>
              </tr>
            ))}
          </Table>
        )}
        <NameForm refused={refused} />
      </div>
    </Card>
  );
}

const nothing: FieldName = {
  record: 'transfer',
  field: 'code',
  code: '',
  name: '',
  format: 'integer',
};

function NameForm({ refused }: Props) {
  const { database } = useDatabase();
  const [draft, setDraft] = useState(nothing);
  const [tried, setTried] = useState(false);
  const update = useUpdate();
  const isCode = draft.field === 'code';
  const code = isCode ? readInteger(draft.code, 16) : '';
  const codeError = code === undefined || code === '0' ? 'From 1 to 65,535.' : undefined;
  const nameError = draft.name.replaceAll(/[\s;]/g, '') === '' ? 'Say what it is.' : undefined;
  // Only 128 bits hold a UUID.
  const formats = valueFormats.filter((one) => one !== 'UUID' || draft.field === 'user_data_128');
  const save = () => {
    setTried(true);
    if (codeError !== undefined || nameError !== undefined || code === undefined) return;
    const format = isCode ? 'integer' : (wordOf(draft.format, formats) ?? 'integer');
    update.mutate(
      { labels: labelsWithName(database.labels, { ...draft, code, format }) },
      {
        onSuccess: () => {
          setDraft({ ...draft, code: '', name: '' });
          setTried(false);
          say('The name is set');
        },
      },
    );
  };
  return (
    <form
      className={styles.stack}
      onSubmit={(event) => {
        event.preventDefault();
        if (refused === undefined && !update.isPending) save();
      }}
    >
      <div className={styles.row}>
        <Select
          label="Of"
          value={draft.record}
          onChange={(event) =>
            setDraft({ ...draft, record: wordOf(event.target.value, namedRecords) ?? 'transfer' })
          }
        >
          {namedRecords.map((record) => (
            <option key={record} value={record}>
              {recordWords[record]}
            </option>
          ))}
        </Select>
        <Select
          label="Field"
          value={draft.field}
          onChange={(event) =>
            setDraft({ ...draft, field: wordOf(event.target.value, namedFields) ?? 'code' })
          }
        >
          {namedFields.map((field) => (
            <option key={field} value={field}>
              {fieldWords[field]}
            </option>
          ))}
        </Select>
        {isCode ? (
          <Input
            label="Code"
            mono
            autoComplete="off"
            value={draft.code}
            error={tried ? codeError : undefined}
            onChange={(event) => setDraft({ ...draft, code: event.target.value })}
          />
        ) : (
          <Select
            label="Shown as"
            value={draft.format}
            onChange={(event) =>
              setDraft({ ...draft, format: wordOf(event.target.value, formats) ?? 'integer' })
            }
          >
            {formats.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </Select>
        )}
        <Input
          label="Name of it"
          autoComplete="off"
          maxLength={nameMax}
          value={draft.name}
          error={tried ? nameError : undefined}
          onChange={(event) => setDraft({ ...draft, name: event.target.value })}
        />
      </div>
      {update.isError && <Problem error={update.error} />}
      <div>
        <Button type="submit" look="main" busy={update.isPending} disabledReason={refused}>
          Set the name
        </Button>
      </div>
    </form>
  );
}
