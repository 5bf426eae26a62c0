import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BackupSchedule } from '../../../../gen/api.ts';
import { schedulesKey } from '../../data/backup-queries.ts';
import { ask } from '../../data/client.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Question } from '../../ui/Question.tsx';
import { ScheduleDialog } from './ScheduleDialog.tsx';

const one = '/api/v1/databases/{databaseId}/backup-schedules/{scheduleId}';

/** Buttons of a schedule. A dialog shows failures. */
export function ScheduleActions({ schedule }: { readonly schedule: BackupSchedule }) {
  const organization = useOrganization();
  const [asked, setAsked] = useState<'change' | 'delete'>();
  const { suspend, remove } = useActions(schedule, () => setAsked(undefined));
  const refused = whyNot(organization, 'changeDatabase');
  const { name, suspended } = schedule;
  return (
    <>
      <Button
        small
        look="quiet"
        busy={suspend.isPending}
        disabledReason={refused}
        aria-label={`${suspended ? 'Resume' : 'Suspend'} ${name}`}
        onClick={() => suspend.mutate()}
      >
        {suspended ? 'Resume' : 'Suspend'}
      </Button>
      <Button
        small
        look="quiet"
        disabledReason={refused}
        aria-label={`Change ${name}`}
        onClick={() => setAsked('change')}
      >
        Change
      </Button>
      <Button
        small
        look="bad"
        disabledReason={refused}
        aria-label={`Delete ${name}`}
        onClick={() => setAsked('delete')}
      >
        Delete
      </Button>
      <ScheduleDialog
        open={asked === 'change'}
        onClose={() => setAsked(undefined)}
        schedule={schedule}
      />
      <Question
        open={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        title={`Delete ${name}?`}
        about="It makes no more backups. Its backups stay until they are removed."
        leave="Keep it"
        make="Delete schedule"
        act={remove}
        onMake={() => remove.mutate()}
      />
      <Dialog open={suspend.isError} onClose={suspend.reset} title="That did not work">
        <Problem error={suspend.error} />
      </Dialog>
    </>
  );
}

function useActions({ id, databaseId, name, suspended }: BackupSchedule, onRemoved: () => void) {
  const { id: organizationId } = useOrganization();
  const queryClient = useQueryClient();
  const params = { databaseId, scheduleId: id };
  const onSettled = () =>
    queryClient.invalidateQueries({ queryKey: schedulesKey(organizationId, databaseId) });
  const suspend = useMutation({
    mutationFn: () =>
      ask(organizationId, 'patch', one, { params, body: { suspended: !suspended } }),
    onSuccess: () => say(suspended ? `${name} makes backups again` : `${name} is suspended`),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => ask(organizationId, 'delete', one, { params }),
    onSuccess: () => {
      onRemoved();
      say(`${name} is deleted`);
    },
    onSettled,
  });
  return { suspend, remove };
}
