import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Backup } from '../../../../gen/api.ts';
import { backupsKey } from '../../data/backup-queries.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { databaseKey } from '../../data/queries.ts';
import { said } from '../../lib/said.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Question } from '../../ui/Question.tsx';
import { HoldButton } from './HoldButton.tsx';
import { useDatabase } from '../database/use-database.ts';

const one = '/api/v1/databases/{databaseId}/backups/{backupId}';

interface Props {
  readonly backup: Backup;
  readonly configured: boolean;
}

/** Buttons of a backup. A dialog shows failures. */
export function BackupActions({ backup, configured }: Props) {
  const organization = useOrganization();
  const { database } = useDatabase();
  const [removing, setRemoving] = useState(false);
  const protect = useProtect(backup);
  const test = useTest(backup);
  const failed = [protect, test].find(({ isError }) => isError);
  const isGood = backup.status === 'SUCCEEDED';
  const refused = whyNot(organization, 'changeDatabase') ?? whyUnmanaged(backup);
  const { slug } = organization;
  return (
    <>
      {isGood && configured && (
        <Link
          to="/o/$slug/databases/$name/backups/$backupId/restore"
          params={{ slug, name: database.name, backupId: backup.id }}
          search
          className={buttonClass('plain', true)}
          aria-label={`Restore ${said(backup.name)}`}
        >
          Restore
        </Link>
      )}
      {isGood && configured && (
        <Button
          small
          look="quiet"
          busy={test.isPending}
          disabledReason={
            refused ??
            (backup.verification?.status === 'RUNNING' ? 'It is being tested.' : undefined)
          }
          aria-label={`Test ${said(backup.name)} by a restore`}
          onClick={() => test.mutate()}
        >
          Test
        </Button>
      )}
      {backup.status !== 'DELETING' && (
        <>
          <Button
            small
            look="quiet"
            busy={protect.isPending}
            disabledReason={refused}
            aria-label={`${backup.protected ? 'Unprotect' : 'Protect'} ${said(backup.name)}`}
            onClick={() => protect.mutate()}
          >
            {backup.protected ? 'Unprotect' : 'Protect'}
          </Button>
          <HoldButton backup={backup} refused={refused} />
          <Button
            small
            look="bad"
            disabledReason={refused ?? staysBecause(backup)}
            aria-label={`Remove ${said(backup.name)}`}
            onClick={() => setRemoving(true)}
          >
            Remove
          </Button>
        </>
      )}
      <RemoveDialog backup={backup} open={removing} onClose={() => setRemoving(false)} />
      <Dialog open={failed !== undefined} onClose={() => failed?.reset()} title="That did not work">
        {failed !== undefined && <Problem error={failed.error} />}
      </Dialog>
    </>
  );
}

function whyUnmanaged({ managed, status }: Backup): string | undefined {
  if (managed || status === 'FAILED') return undefined;
  return status === 'SUCCEEDED'
    ? 'Its resource was deleted in Kubernetes: it stays in the store as it is.'
    : 'It has only just been requested.';
}

function staysBecause({ hold, protected: isProtected }: Backup): string | undefined {
  if (hold !== null) return 'It is held: release it first.';
  return isProtected ? 'Unprotect it first.' : undefined;
}

function useProtect({ id: backupId, databaseId, protected: isProtected }: Backup) {
  const { id: organizationId } = useOrganization();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      ask(organizationId, 'patch', one, {
        params: { databaseId, backupId },
        body: { protected: !isProtected },
      }),
    onSuccess: () => say(isProtected ? 'The protection is off' : 'The backup is protected'),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: backupsKey(organizationId, databaseId) }),
  });
}

function useTest({ id: backupId, databaseId, name }: Backup) {
  const { id: organizationId } = useOrganization();
  const queryClient = useQueryClient();
  const intent = useIntent();
  return useMutation({
    mutationFn: () =>
      intent.try(backupId, (sending) =>
        ask(organizationId, 'post', `${one}/verify`, { params: { databaseId, backupId } }, sending),
      ),
    onSuccess: () => say(`${said(name)} is being tested`),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organizationId, databaseId) }),
  });
}

interface RemoveProps {
  readonly backup: Backup;
  readonly open: boolean;
  readonly onClose: () => void;
}

function RemoveDialog({ backup, open, onClose }: RemoveProps) {
  const { id: organizationId } = useOrganization();
  const queryClient = useQueryClient();
  const { databaseId, id: backupId, name } = backup;
  const remove = useMutation({
    mutationFn: () => ask(organizationId, 'delete', one, { params: { databaseId, backupId } }),
    onSuccess: () => {
      onClose();
      say(`${said(name)} is being removed`);
    },
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organizationId, databaseId) }),
  });
  return (
    <Question
      open={open}
      onClose={onClose}
      title={`Remove ${said(name)}?`}
      about="It can no longer be restored. Objects that no other backup needs are deleted from the store within two days."
      leave="Keep it"
      make="Remove backup"
      act={remove}
      onMake={() => remove.mutate()}
    />
  );
}
