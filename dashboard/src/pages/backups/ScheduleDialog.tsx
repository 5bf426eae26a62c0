import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BackupSchedule } from '../../../../gen/api.ts';
import { scheduleQuery, schedulesKey } from '../../data/backup-queries.ts';
import { ask } from '../../data/client.ts';
import { ifMatch } from '../../data/if-match.ts';
import { useIntent } from '../../data/intent.ts';
import { besideFields, fieldErrors } from '../../data/problem-error.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Input, Select } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Fresh } from '../../ui/Fresh.tsx';
import { isLate, Late } from '../../ui/Late.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useDatabase } from '../database/use-database.ts';
import {
  draftOf,
  patterns,
  requestOf,
  settingsWords,
  type ScheduleDraft,
} from './schedule-draft.ts';

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  /** The schedule to change; if absent, a new one is made. */
  readonly schedule?: BackupSchedule;
}

export const ScheduleDialog = ({ open, onClose, schedule }: Props) => (
  <Dialog
    open={open}
    onClose={onClose}
    title={schedule === undefined ? 'New schedule' : `Change ${schedule.name}`}
    about="A backup stays if any of the numbers keeps it. The newest good one, the newest proven one and protected ones always stay."
  >
    {schedule === undefined ? (
      <ScheduleForm onClose={onClose} />
    ) : (
      <ChangeForm onClose={onClose} scheduleId={schedule.id} />
    )}
  </Dialog>
);

interface ChangeProps {
  readonly scheduleId: string;
  readonly onClose: () => void;
}

function ChangeForm({ scheduleId, onClose }: ChangeProps) {
  const { database, organizationId } = useDatabase();
  const read = useQuery(scheduleQuery(organizationId, database.id, scheduleId));
  return (
    <Fresh read={read}>
      {({ data, etag }) => (
        <ScheduleForm schedule={data.backupSchedule} etag={etag} onClose={onClose} />
      )}
    </Fresh>
  );
}

interface FormProps {
  /** As it is now; absent: a new one is made. */
  readonly schedule?: BackupSchedule;
  readonly etag?: string | undefined;
  readonly onClose: () => void;
}

function ScheduleForm({ schedule, etag, onClose }: FormProps) {
  const [seen] = useState(etag);
  const [draft, setDraft] = useState(() => draftOf(schedule));
  const save = useSave(schedule, seen, onClose);
  const errors = fieldErrors(save.error);
  const other = besideFields(save.error, ['schedule', 'timeZone', 'keep']);
  const change = (part: Partial<ScheduleDraft>) => setDraft({ ...draft, ...part });
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft);
      }}
    >
      <Select
        label="How often"
        value={patterns.some(([cron]) => cron === draft.schedule) ? draft.schedule : ''}
        onChange={(event) => event.target.value !== '' && change({ schedule: event.target.value })}
      >
        {patterns.map(([cron, words]) => (
          <option key={cron} value={cron}>
            {words}
          </option>
        ))}
        <option value="">as the fields say</option>
      </Select>
      <div className={form.row}>
        <Input
          label="Fields of cron"
          mono
          required
          value={draft.schedule}
          hint="Minute, hour, day, month, weekday."
          error={errors['schedule']}
          onChange={(event) => change({ schedule: event.target.value })}
        />
        <Input
          label="Time zone"
          mono
          required
          value={draft.timeZone}
          hint="As Europe/Vienna or Etc/UTC."
          error={errors['timeZone']}
          onChange={(event) => change({ timeZone: event.target.value })}
        />
      </div>
      <Keeps draft={draft} error={errors['keep']} onChange={change} />
      {other !== null && <Problem error={other} />}
      {schedule !== undefined && isLate(save.error, etag, seen) && (
        <Late now={settingsWords(schedule)} />
      )}
      <DialogButtons>
        <Button onClick={onClose}>Leave it</Button>
        <Button type="submit" look="main" busy={save.isPending}>
          {schedule === undefined ? 'Make schedule' : 'Save schedule'}
        </Button>
      </DialogButtons>
    </form>
  );
}

const keepFields = [
  ['last', 'Newest backups that stay'],
  ['daily', 'Days'],
  ['weekly', 'Weeks'],
  ['monthly', 'Months'],
] as const;

interface KeepsProps {
  readonly draft: ScheduleDraft;
  readonly error: string | undefined;
  readonly onChange: (part: Partial<ScheduleDraft>) => void;
}

const Keeps = ({ draft, error, onChange }: KeepsProps) => (
  <div className={form.row}>
    {keepFields.map(([field, label]) => (
      <Input
        key={field}
        label={label}
        type="number"
        inputMode="numeric"
        min={field === 'last' ? 1 : 0}
        value={draft[field]}
        hint={field === 'last' ? undefined : 'of which the last one stays'}
        error={field === 'last' ? error : undefined}
        onChange={(event) => onChange({ [field]: event.target.value })}
      />
    ))}
    <Select
      label="Test restores"
      value={draft.verify}
      onChange={(event) => onChange({ verify: event.target.value as ScheduleDraft['verify'] })}
    >
      <option value="EVERY">of every backup</option>
      <option value="DAILY">once a day</option>
      <option value="WEEKLY">once a week</option>
      <option value="NEVER">never</option>
    </Select>
  </div>
);

function useSave(
  schedule: BackupSchedule | undefined,
  etag: string | undefined,
  onClose: () => void,
) {
  const { database, organizationId } = useDatabase();
  const databaseId = database.id;
  const queryClient = useQueryClient();
  const intent = useIntent();
  return useMutation({
    mutationFn: async (draft: ScheduleDraft) => {
      const body = requestOf(draft);
      const all = '/api/v1/databases/{databaseId}/backup-schedules' as const;
      if (schedule === undefined) {
        return intent.try(body, (sending) =>
          ask(organizationId, 'post', all, { params: { databaseId }, body }, sending),
        );
      }
      const params = { databaseId, scheduleId: schedule.id };
      const headers = ifMatch(etag);
      return ask(organizationId, 'patch', `${all}/{scheduleId}`, { params, body }, { headers });
    },
    onSuccess: ({ data }) => {
      onClose();
      say(`${data.backupSchedule.name} is saved`);
    },
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: schedulesKey(organizationId, databaseId) }),
  });
}
