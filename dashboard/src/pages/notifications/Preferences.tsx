import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { choose, preferencesQuery, renew } from '../../data/notification-queries.ts';
import { databaseNamesQuery } from '../../data/queries.ts';
import { said } from '../../lib/said.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { DatabaseSelect } from '../databases/DatabaseSelect.tsx';
import { Kind } from './Kind.tsx';
import styles from './Notifications.module.css';

/** Kinds and databases of which a person wants notifications. Each choice takes effect at once. */
export function Preferences() {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const preferences = useQuery(preferencesQuery(organization.id));
  const change = useMutation({
    mutationFn: (body: Parameters<typeof choose>[1]) => choose(organization.id, body),
    onSuccess: (next) => {
      queryClient.setQueryData(preferencesQuery(organization.id).queryKey, next);
      say('Your choice holds from now on');
    },
    onSettled: () => renew(queryClient, organization.id),
  });
  if (preferences.isPending) return <Skeleton lines={6} />;
  if (preferences.data === undefined) return <Failed read={preferences} />;
  const { kinds, mutedDatabases, mailAddress } = preferences.data;
  return (
    <div className={styles.cards}>
      <Card title="What you get">
        <Failed read={preferences} />
        {change.isError && <Problem error={change.error} />}
        <div className={styles.stack}>
          <p className={styles.soft}>Yours alone, for {said(organization.name)}.</p>
          <p className={styles.soft}>{aboutMail(mailAddress)}</p>
          {kinds.map((kind) => (
            <Kind
              key={kind}
              kind={kind}
              preferences={preferences.data}
              busy={change.isPending}
              onChange={(choice) => change.mutate(choice)}
            />
          ))}
          {kinds.length === 0 && <p>Your role gets no notifications.</p>}
        </div>
      </Card>
      <MutedDatabases
        muted={mutedDatabases}
        busy={change.isPending}
        onChange={(next) => change.mutate({ mutedDatabases: [...next] })}
      />
    </div>
  );
}

const aboutMail = (address: string | null): string =>
  address === null
    ? 'No mail: this service sends none, or your address is not verified.'
    : `Mail goes to ${address}.`;

interface MutedProps {
  readonly muted: readonly string[];
  readonly busy: boolean;
  readonly onChange: (muted: readonly string[]) => void;
}

function MutedDatabases({ muted, busy, onChange }: MutedProps) {
  const organization = useOrganization();
  const { data: known = [] } = useQuery(databaseNamesQuery(organization.id));
  // A database that was deleted since is known only by its ID.
  const nameOf = (id: string) => known.find((one) => one.id === id)?.name ?? id;
  return (
    <Card title="Databases that you muted">
      <div className={styles.stack}>
        {muted.length === 0 && (
          <p className={styles.soft}>None: you hear of all that you may see.</p>
        )}
        <ul className={styles.stack}>
          {muted.map((id) => (
            <li key={id} className={styles.muted}>
              <span>{nameOf(id)}</span>
              <Button
                small
                busy={busy}
                aria-label={`Unmute ${nameOf(id)}`}
                onClick={() => onChange(muted.filter((one) => one !== id))}
              >
                Unmute
              </Button>
            </li>
          ))}
        </ul>
        <DatabaseSelect
          all="Choose one to mute"
          value=""
          error={undefined}
          onChoose={(id) => {
            if (id !== '' && !muted.includes(id)) onChange([...muted, id]);
          }}
        />
      </div>
    </Card>
  );
}
