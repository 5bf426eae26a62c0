import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MaintenanceWindow, MaintenanceWindowRequest } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { maintenanceWindowQuery, windowKeys } from '../../data/configuration-queries.ts';
import { ifMatch } from '../../data/if-match.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Input, Select } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { isLate, Late } from '../../ui/Late.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { Exactly } from '../../ui/When.tsx';
import styles from '../database/DatabaseFrame.module.css';
import { dayName } from './words.ts';

const weekdays = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const;
const ofDatabase = '/api/v1/databases/{databaseId}/maintenance-window';
const ofOrganization = '/api/v1/maintenance-window';
const sources = {
  DATABASE: 'Set for this database.',
  ORGANIZATION: 'Set for the organization.',
  DEFAULT: 'The default; none is set.',
} as const;

/** Form and button replace each other: a person with a keyboard goes on at the same place. */
const focusFirst = (element: HTMLElement | null): void =>
  element?.querySelector<HTMLElement>('select, button')?.focus();

interface Props {
  /** Absent: the window of the organization, for all databases that have none of their own. */
  readonly databaseId?: string;
}

/** A maintenance window: when it is open next, and a form that changes it. */
export function MaintenanceWindowCard({ databaseId }: Props) {
  const { id: organizationId } = useOrganization();
  const read = useQuery(maintenanceWindowQuery(organizationId, databaseId));
  /** `undefined`: not yet. */
  const [isEdited, setEdited] = useState<boolean>();
  if (read.isError && read.data === undefined) {
    return <Failed read={read} />;
  }
  if (read.data === undefined) {
    return (
      <Card title="Maintenance window">
        <Skeleton lines={2} />
      </Card>
    );
  }
  const { window, etag } = read.data;
  const { from, next } = window;
  return (
    <Card
      title="Maintenance window"
      actions={
        isEdited !== true && (
          <span ref={isEdited === false ? focusFirst : undefined}>
            <Button small onClick={() => setEdited(true)}>
              Change it
            </Button>
          </span>
        )
      }
    >
      {isEdited === true ? (
        <WindowForm
          databaseId={databaseId}
          window={window}
          etag={etag}
          onDone={() => setEdited(false)}
        />
      ) : (
        <>
          <p>
            {windowWords(window)} {sources[from]}
          </p>
          <p className={styles.soft}>
            {databaseId === undefined && 'For databases that have none of their own. '}
            Changes that wait for it begin from <Exactly at={next.beginsAt} /> to{' '}
            <Exactly at={next.endsAt} />. One that has begun is carried through.
          </p>
        </>
      )}
    </Card>
  );
}

interface FormProps {
  readonly databaseId: string | undefined;
  /** As it is now. */
  readonly window: MaintenanceWindow;
  readonly etag: string | undefined;
  readonly onDone: () => void;
}

/** Sets the window; `undefined` takes it back. */
function setWindow(
  organizationId: string,
  databaseId: string | undefined,
  body: MaintenanceWindowRequest | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  if (databaseId === undefined) {
    return body === undefined
      ? ask(organizationId, 'delete', ofOrganization, {}, { headers })
      : ask(organizationId, 'put', ofOrganization, { body }, { headers });
  }
  const params = { databaseId };
  return body === undefined
    ? ask(organizationId, 'delete', ofDatabase, { params }, { headers })
    : ask(organizationId, 'put', ofDatabase, { params, body }, { headers });
}

const windowWords = ({ weekday, startTime, timeZone, lengthMinutes }: MaintenanceWindow): string =>
  `${dayName(weekday)} ${startTime} (${timeZone}), for ${lengthMinutes} minutes.`;

function WindowForm({ databaseId, window, etag, onDone }: FormProps) {
  const { weekday, startTime, lengthMinutes, timeZone, from } = window;
  const [seen] = useState(etag);
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<MaintenanceWindowRequest>({
    weekday,
    startTime,
    lengthMinutes,
    timeZone,
  });
  const renew = () =>
    Promise.all(
      windowKeys(organization.id, databaseId).map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    );
  const change = useMutation({
    mutationFn: (body: MaintenanceWindowRequest | undefined) =>
      setWindow(organization.id, databaseId, body, ifMatch(seen)),
    onSuccess: async () => {
      // A form that is opened again begins with what is there now.
      await renew();
      say('The maintenance window is set');
      onDone();
    },
    onError: renew,
  });
  const isOwn = from === (databaseId === undefined ? 'ORGANIZATION' : 'DATABASE');
  const disabledReason = whyNot(organization, 'changeDatabase');
  return (
    <form
      ref={focusFirst}
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(draft);
      }}
    >
      <div className={form.row}>
        <Select
          label="Day"
          value={draft.weekday}
          onChange={(event) => {
            const day = weekdays.find((one) => one === event.target.value);
            if (day !== undefined) setDraft({ ...draft, weekday: day });
          }}
        >
          {weekdays.map((day) => (
            <option key={day} value={day}>
              {dayName(day)}
            </option>
          ))}
        </Select>
        <Input
          label="Begins at"
          type="time"
          required
          value={draft.startTime}
          onChange={(event) => setDraft({ ...draft, startTime: event.target.value })}
        />
        <Input
          label="Minutes"
          type="number"
          inputMode="numeric"
          required
          min={30}
          max={1_440}
          value={draft.lengthMinutes}
          onChange={(event) => setDraft({ ...draft, lengthMinutes: Number(event.target.value) })}
        />
        <Input
          label="Time zone"
          mono
          required
          value={draft.timeZone}
          hint="Such as Europe/Vienna."
          onChange={(event) => setDraft({ ...draft, timeZone: event.target.value })}
        />
      </div>
      {change.isError && <Problem error={change.error} />}
      {isLate(change.error, etag, seen) && (
        <Late now={`${windowWords(window)}\n${sources[from]}`} />
      )}
      <div className={form.buttons}>
        <Button type="submit" look="main" busy={change.isPending} disabledReason={disabledReason}>
          Set the window
        </Button>
        {isOwn && (
          <Button
            busy={change.isPending}
            disabledReason={disabledReason}
            onClick={() => change.mutate(undefined)}
          >
            {databaseId === undefined ? 'Use the default' : 'Use that of the organization'}
          </Button>
        )}
        <Button onClick={onDone}>Leave it</Button>
      </div>
    </form>
  );
}
