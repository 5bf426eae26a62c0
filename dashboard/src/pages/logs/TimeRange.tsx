import { useState, type FormEvent } from 'react';
import { readBound } from '../../lib/time.ts';
import { useNow } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import styles from './Logs.module.css';
import { readLogSearch, type LogSearch } from './search.ts';

type Range = Pick<LogSearch, 'from' | 'to'>;

interface Props {
  readonly range: Range;
  /** What there is from when no time is given. */
  readonly oldest: string;
  readonly onApply: (range: Range) => void;
}

/** The times between which rows are shown: a draft, then applied. */
export function TimeRange({ range, oldest, onApply }: Props) {
  const [draft, setDraft] = useState(range);
  const [tried, setTried] = useState(range.from !== undefined || range.to !== undefined);
  const now = useNow();
  const fields = [
    ['from', 'From', oldest],
    ['to', 'To', 'now'],
  ] as const;
  const wrong = (name: 'from' | 'to') => {
    const text = draft[name];
    return text !== undefined && readBound(text, now) === undefined
      ? 'A time such as 2026-11-22 14:00, or -1h.'
      : undefined;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (wrong('from') === undefined && wrong('to') === undefined) onApply(draft);
  };
  return (
    <form className={styles.range} onSubmit={submit} aria-label="Times">
      {fields.map(([name, label, empty]) => (
        <Input
          key={name}
          label={label}
          mono
          autoComplete="off"
          spellCheck={false}
          placeholder={empty}
          value={draft[name] ?? ''}
          error={tried ? wrong(name) : undefined}
          onChange={(event) => {
            const { from, to } = readLogSearch({ ...draft, [name]: event.target.value });
            setDraft({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
          }}
        />
      ))}
      <Button type="submit">Show</Button>
      <p className={styles.soft}>Times are UTC unless they name a zone.</p>
    </form>
  );
}
