import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { backupsQuery } from '../../data/backup-queries.ts';
import { ask } from '../../data/client.ts';
import { databaseKey } from '../../data/queries.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Checkbox } from '../../ui/Field.tsx';
import { NameField } from '../../ui/NameField.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { whyNoLastBackup } from '../backups/words.ts';
import styles from './DatabaseFrame.module.css';
import { deletionHash } from './deletion-hash.ts';
import { useDatabase } from './use-database.ts';
import { useMatching } from './use-matching.ts';
import { useUpdate } from './use-update.ts';

export function DangerZone() {
  const organization = useOrganization();
  const { database } = useDatabase();
  const { hash } = useLocation();
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const update = useUpdate();
  const refused = whyNot(organization, 'changeDatabase');
  const isProtected = database.deletionProtection;
  const whyKept = refused ?? (isProtected ? 'Take the protection off first.' : undefined);
  const isAsked = hash === deletionHash && whyKept === undefined;
  const close = () => {
    setDeleting(false);
    // The address asks no more: a reload of the page does not ask again.
    if (isAsked) void navigate({ to: '.', hash: '', replace: true, resetScroll: false });
  };
  const protect = () =>
    update.mutate(
      { deletionProtection: !isProtected },
      { onSuccess: () => say(isProtected ? 'The protection is off' : 'It is protected') },
    );
  return (
    <Card title="Protection and deletion" tone="bad">
      <div className={styles.danger}>
        <p>
          {isProtected
            ? 'It is protected: nobody can delete it.'
            : 'It is not protected: owners and admins can delete it.'}
        </p>
        <Button busy={update.isPending} disabledReason={refused} onClick={protect}>
          {isProtected ? 'Take the protection off' : 'Protect it'}
        </Button>
      </div>
      <div className={styles.danger}>
        <p>
          Deleting ends it at once and frees its name. Its data stay for some days, in which it can
          be restored.
        </p>
        <Button look="bad" disabledReason={whyKept} onClick={() => setDeleting(true)}>
          Delete database
        </Button>
      </div>
      {update.isError && <Problem error={update.error} />}
      {/* Each time anew: a name that was typed before, and not used, says nothing of this time. */}
      {(deleting || isAsked) && <DeleteDialog onClose={close} />}
    </Card>
  );
}

function DeleteDialog({ onClose }: { readonly onClose: () => void }) {
  const { database, organizationId } = useDatabase();
  const matching = useMatching();
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState('');
  const [finalBackup, setFinalBackup] = useState(false);
  const backups = useInfiniteQuery(backupsQuery(organizationId, database.id, false));
  const configured = backups.data?.pages.at(0)?.configured;
  const whyNone =
    configured === undefined
      ? backups.isError
        ? 'It could not be asked whether a backup can be made.'
        : 'It is not known yet whether a backup can be made.'
      : whyNoLastBackup(database, configured);
  const remove = useMutation({
    mutationFn: () =>
      matching((headers) =>
        ask(
          organizationId,
          'delete',
          '/api/v1/databases/{databaseId}',
          {
            params: { databaseId: database.id },
            ...(finalBackup && { query: { finalBackup: true } }),
          },
          { headers },
        ),
      ),
    onSuccess: async () => {
      onClose();
      say(`${database.name} is being deleted`);
      await queryClient.invalidateQueries({ queryKey: ['databases', organizationId] });
    },
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organizationId, database.id) }),
  });
  const isSame = typed === database.name;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${database.name}?`}
      about="It stops answering at once. It can be restored until its data are purged; its page then shows when."
    >
      <form
        className={styles.column}
        onSubmit={(event) => {
          event.preventDefault();
          if (isSame) remove.mutate();
        }}
      >
        <NameField name={database.name} typed={typed} onType={setTyped} />
        <Checkbox
          label="Make a last backup, then delete the data at once"
          hint={
            whyNone ??
            'A new database can begin with it; the deleted one cannot be restored. If the backup fails, nothing is deleted.'
          }
          checked={finalBackup}
          disabled={whyNone !== undefined}
          onChange={(event) => setFinalBackup(event.target.checked)}
        />
        {remove.isError && <Problem error={remove.error} />}
        <DialogButtons>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            type="submit"
            look="bad"
            busy={remove.isPending}
            disabledReason={isSame ? undefined : 'Type the name first.'}
          >
            Delete it
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
