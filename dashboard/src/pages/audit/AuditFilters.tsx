import { useState } from 'react';
import type { AuditFilter } from '../../data/settings-queries.ts';
import { given } from '../../lib/search.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import { FilterSelect } from '../../ui/FilterSelect.tsx';
import form from '../../ui/Form.module.css';
import { DatabaseSelect } from '../databases/DatabaseSelect.tsx';
import { outcomes, readAuditSearch } from './search.ts';

const fields = [
  ['type', 'Action', 'backup.*'],
  ['actorId', 'Actor’s ID', 'usr_… or key_…'],
  ['targetId', 'Target’s ID', 'bkp_…'],
  ['after', 'From', '2026-11-01T00:00:00Z'],
  ['before', 'Before', '2026-12-01T00:00:00Z'],
] as const;

interface Props {
  readonly filter: AuditFilter;
  readonly onApply: (filter: AuditFilter) => void;
}

export function AuditFilters({ filter, onApply }: Props) {
  const [draft, setDraft] = useState(filter);
  return (
    <form
      role="search"
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        onApply(draft);
      }}
    >
      <div className={form.row}>
        {fields.map(([name, label, example]) => (
          <Input
            key={name}
            label={label}
            mono
            placeholder={example}
            value={draft[name] ?? ''}
            onChange={(event) =>
              setDraft(readAuditSearch({ ...draft, [name]: event.target.value }))
            }
          />
        ))}
        <FilterSelect
          label="Outcome"
          choices={outcomes}
          value={draft.outcome}
          onChange={(outcome) => setDraft(given({ ...draft, outcome }))}
        />
        <DatabaseSelect
          label="Database"
          all="Any"
          value={draft.databaseId ?? ''}
          error={undefined}
          onChoose={(databaseId) => setDraft(readAuditSearch({ ...draft, databaseId }))}
        />
      </div>
      <div className={form.buttons}>
        <Button type="submit">Apply</Button>
        <Button look="quiet" onClick={() => onApply({})}>
          Clear
        </Button>
      </div>
    </form>
  );
}
