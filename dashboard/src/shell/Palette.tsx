import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type KeyboardEvent } from 'react';
import type { Session } from '../../../gen/api.ts';
import { ask } from '../data/client.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { Skeleton } from '../ui/States.tsx';
import type { ShownOrganization } from './context.ts';
import { commandsFor, matching, type Command } from './palette-commands.ts';
import styles from './Palette.module.css';

const found = 8;

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
  readonly session: Session;
  readonly organization: ShownOrganization | undefined;
}

/** Databases, pages and organizations in one list that is filtered by typing: Ctrl K. */
export const Palette = ({ open, ...rest }: Props) => (
  <Dialog open={open} onClose={rest.onClose} title="Go to">
    <Finder {...rest} />
  </Dialog>
);

/** The first databases whose name has this text. */
const foundQuery = (organizationId: string, q: string) =>
  queryOptions({
    queryKey: ['palette', organizationId, q],
    queryFn: async ({ signal }) => {
      const query = { limit: found, sort: 'name' as const, ...(q !== '' && { q }) };
      const path = '/api/v1/databases';
      return (await ask(organizationId, 'get', path, { query }, { signal })).data.data;
    },
  });

function Finder({ onClose, onShortcuts, session, organization }: Omit<Props, 'open'>) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const navigate = useNavigate();
  const organizationId = organization?.id ?? '';
  const typed = text.trim();
  const mayRead = organization !== undefined && organization.rights.includes('readDatabases');
  // A name has no blanks; what comes behind it names a page of the database.
  const [word = ''] = typed.split(/\s+/);
  const named = useQuery({
    ...foundQuery(organizationId, word),
    enabled: mayRead,
    placeholderData: (before) => before,
  });
  // A word may as well be that of a page: then it is one of these databases.
  const first = useQuery({ ...foundQuery(organizationId, ''), enabled: mayRead });
  const databases = named.data ?? [];
  const others = (first.data ?? []).filter(({ id }) => !databases.some((one) => one.id === id));
  const commands = matching(commandsFor(session, organization, databases, others), typed);
  const current = Math.min(at, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    if (command.href === undefined) onShortcuts();
    else void navigate({ href: command.href });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((current + step + commands.length) % Math.max(1, commands.length));
    }
    if (event.key === 'Enter') run(commands[current]);
  };
  return (
    <>
      <input
        className={styles.input}
        role="combobox"
        aria-label="A database, page or organization"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={commands.length > 0 ? `${id}-${current}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="A database, page or organization"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Found" className={styles.list}>
        {commands.map((command, index) => (
          // The keyboard focus stays in the input, which names the active option.
          <div
            key={command.href ?? command.title}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            className={styles.option}
            onMouseMove={() => setAt(index)}
            onClick={() => run(command)}
            onKeyDown={onKeyDown}
          >
            <span className={styles.title}>{command.title}</span>
            <span className={styles.kind}>{command.kind}</span>
          </div>
        ))}
      </div>
      {named.isLoading && commands.length > 0 && <Skeleton lines={1} />}
      {named.isError && <p className={styles.none}>The databases could not be searched.</p>}
      {!named.isError && commands.length === 0 && (
        <p className={styles.none}>
          {named.isFetching
            ? 'The databases are being searched.'
            : `Nothing has “${typed}” in its name.`}
        </p>
      )}
    </>
  );
}
