import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Backup } from '../../../../gen/api.ts';
import { backupsKey } from '../../data/backup-queries.ts';
import { ask } from '../../data/client.ts';
import { besideFields, fieldErrors } from '../../data/problem-error.ts';
import { said } from '../../lib/said.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Input } from '../../ui/Field.tsx';
import { MakeForm } from '../../ui/MakeForm.tsx';
import { Problem } from '../../ui/Problem.tsx';

const path = '/api/v1/databases/{databaseId}/backups/{backupId}/hold';

interface Props {
  readonly backup: Backup;
  /** Why it cannot be used. */
  readonly refused: string | undefined;
}

/** Holds a backup, or releases it, each after a dialog: a hold has a reason, and its end is worth a second look. */
export function HoldButton({ backup, refused }: Props) {
  const [isOpen, setOpen] = useState(false);
  const isHeld = backup.hold !== null;
  const close = () => setOpen(false);
  return (
    <>
      <Button
        small
        look="quiet"
        disabledReason={refused}
        aria-label={`${isHeld ? 'Release' : 'Hold'} ${said(backup.name)}`}
        onClick={() => setOpen(true)}
      >
        {isHeld ? 'Release' : 'Hold'}
      </Button>
      <Dialog
        open={isOpen}
        onClose={close}
        title={`${isHeld ? 'Release' : 'Hold'} ${said(backup.name)}?`}
        about={
          isHeld
            ? `It is held by ${said(backup.hold?.by ?? '')}: ${said(backup.hold?.reason ?? '')}. Afterwards schedules and people can remove it.`
            : 'Until somebody releases it, nothing removes it: no schedule, no time, no request.'
        }
      >
        {isHeld ? (
          <ReleaseForm backup={backup} onClose={close} />
        ) : (
          <HoldForm backup={backup} onClose={close} />
        )}
      </Dialog>
    </>
  );
}

interface FormProps {
  readonly backup: Backup;
  readonly onClose: () => void;
}

function HoldForm({ backup, onClose }: FormProps) {
  const { id: organizationId } = useOrganization();
  const [reason, setReason] = useState('');
  const { databaseId, id: backupId, name } = backup;
  const hold = useMutation({
    mutationFn: () =>
      ask(organizationId, 'put', path, { params: { databaseId, backupId }, body: { reason } }),
    onSuccess: () => {
      onClose();
      say(`${said(name)} is held`);
    },
    onSettled: useRefresh(backup),
  });
  const errors = fieldErrors(hold.error);
  return (
    <MakeForm
      make="Hold backup"
      leave="Cancel"
      busy={hold.isPending}
      error={besideFields(hold.error, ['reason'])}
      onMake={() => hold.mutate()}
      onLeave={onClose}
    >
      <Input
        label="Why"
        required
        maxLength={500}
        autoComplete="off"
        placeholder="case 2026-117"
        value={reason}
        error={errors['reason']}
        onChange={(event) => setReason(event.target.value)}
      />
    </MakeForm>
  );
}

function ReleaseForm({ backup, onClose }: FormProps) {
  const { id: organizationId } = useOrganization();
  const { databaseId, id: backupId, name } = backup;
  const release = useMutation({
    mutationFn: () => ask(organizationId, 'delete', path, { params: { databaseId, backupId } }),
    onSuccess: () => {
      onClose();
      say(`${said(name)} is released`);
    },
    onSettled: useRefresh(backup),
  });
  return (
    <>
      {release.isError && <Problem error={release.error} />}
      <DialogButtons>
        <Button onClick={onClose}>Keep the hold</Button>
        <Button look="bad" busy={release.isPending} onClick={() => release.mutate()}>
          Release backup
        </Button>
      </DialogButtons>
    </>
  );
}

function useRefresh({ databaseId }: Backup) {
  const { id: organizationId } = useOrganization();
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: backupsKey(organizationId, databaseId) });
}
