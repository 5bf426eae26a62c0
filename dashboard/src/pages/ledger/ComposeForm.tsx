import { Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Checkbox, Input } from '../../ui/Field.tsx';
import type { Leg, TransferDraft } from './compose.ts';
import styles from './Ledger.module.css';
import { useFieldNames } from './use-ledger.ts';
import { draftId } from './use-send.ts';

/** Most transfers of one request; programs can send more. */
const legsMax = 50;

interface Props {
  readonly draft: TransferDraft;
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (draft: TransferDraft) => void;
  readonly onCheck: () => void;
  /** Nothing can be changed, because it is being sent. */
  readonly fixed: boolean;
}

export function ComposeForm({ draft, errors, onChange, onCheck, fixed }: Props) {
  const { legs } = draft;
  const names = useFieldNames();
  const setLeg = (index: number, change: Partial<Leg>) =>
    onChange({
      ...draft,
      legs: legs.map((leg, at) => (at === index ? { ...leg, ...change } : leg)),
    });
  const addLeg = () => {
    const before = legs.at(-1);
    const next = { id: draftId(), debit: before?.debit ?? '', credit: '', amount: '' };
    onChange({ ...draft, legs: [...legs, next] });
  };
  return (
    <form
      className={styles.stack}
      onSubmit={(event) => {
        event.preventDefault();
        onCheck();
      }}
    >
      <fieldset className={styles.stack} disabled={fixed}>
        <div className={styles.row}>
          {(['ledger', 'code'] as const).map((name) => (
            <Input
              key={name}
              label={name === 'ledger' ? 'Ledger' : 'Code'}
              mono
              autoComplete="off"
              value={draft[name]}
              hint={name === 'code' && names.codeName('transfer', draft.code.trim())}
              error={errors[name]}
              onChange={(event) => onChange({ ...draft, [name]: event.target.value })}
            />
          ))}
        </div>
        <ol className={styles.stack}>
          {legs.map((leg, index) => (
            <li key={leg.id} className={styles.leg} aria-label={`Transfer ${index + 1}`}>
              {fields.map(([name, label]) => (
                <Input
                  key={name}
                  label={label}
                  mono
                  autoComplete="off"
                  spellCheck={false}
                  value={leg[name]}
                  error={errors[`${index}.${name}`]}
                  onChange={(event) => setLeg(index, { [name]: event.target.value })}
                />
              ))}
              {legs.length > 1 && (
                <IconButton
                  label={`Take transfer ${index + 1} away`}
                  onClick={() => onChange({ ...draft, legs: legs.filter((_, at) => at !== index) })}
                >
                  <Trash2 size={17} aria-hidden />
                </IconButton>
              )}
            </li>
          ))}
        </ol>
        <div>
          <Button
            small
            disabledReason={legs.length === legsMax ? `At most ${legsMax} here.` : undefined}
            onClick={addLeg}
          >
            Add a transfer
          </Button>
        </div>
        {legs.length > 1 && (
          <Checkbox
            label="All or none"
            hint="The transfers are linked: if one fails, none is made."
            checked={draft.linked}
            onChange={(event) => onChange({ ...draft, linked: event.target.checked })}
          />
        )}
        <Checkbox
          label="Pending"
          hint="The amounts are reserved, until another transfer posts or voids them."
          checked={draft.pending}
          onChange={(event) => onChange({ ...draft, pending: event.target.checked })}
        />
        {draft.pending && (
          <Input
            label="Expires after (seconds)"
            mono
            inputMode="numeric"
            placeholder="never"
            value={draft.timeout}
            error={errors['timeout']}
            onChange={(event) => onChange({ ...draft, timeout: event.target.value })}
          />
        )}
        <div>
          <Button type="submit" look="main">
            See the result
          </Button>
        </div>
      </fieldset>
    </form>
  );
}

const fields = [
  ['debit', 'Debit account'],
  ['credit', 'Credit account'],
  ['amount', 'Amount'],
] as const;
