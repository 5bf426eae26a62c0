import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { besideFields, fieldErrors } from '../../data/problem-error.ts';
import { databaseKey } from '../../data/queries.ts';
import { said } from '../../lib/said.ts';
import { say } from '../../ui/announcer.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Checkbox, Input } from '../../ui/Field.tsx';
import { MakeForm } from '../../ui/MakeForm.tsx';
import { useDatabase } from '../database/use-database.ts';

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
}

export function NewBackup({ open, onClose }: Props) {
  const about = useMethod() === 'FILES' ? aboutFiles : 'It is made beside the running database.';
  return (
    <Dialog open={open} onClose={onClose} title="New backup" about={about}>
      <BackupForm onClose={onClose} />
    </Dialog>
  );
}

const aboutFiles =
  'The data files of all replicas are copied as they are. Leave the database suspended until it is made.';

/** A cluster of TigerBeetle that does not run has no rows to read, but files. */
function useMethod(): 'ROWS' | 'FILES' {
  const { database } = useDatabase();
  const hasFiles = database.engine.name === 'TigerBeetle' && database.status === 'SUSPENDED';
  return hasFiles ? 'FILES' : 'ROWS';
}

function BackupForm({ onClose }: Pick<Props, 'onClose'>) {
  const { database, organizationId } = useDatabase();
  const queryClient = useQueryClient();
  const intent = useIntent();
  const method = useMethod();
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const [isProtected, setProtected] = useState(false);
  const make = useMutation({
    mutationFn: () => {
      const body = {
        ...(name !== '' && { name }),
        // The service refuses text that is no number of days.
        ...(days !== '' && { retentionDays: Number.parseInt(days, 10) }),
        protected: isProtected,
        ...(method === 'FILES' && { method }),
      };
      const path = '/api/v1/databases/{databaseId}/backups';
      const parts = { params: { databaseId: database.id }, body };
      return intent.try(body, (sending) => ask(organizationId, 'post', path, parts, sending));
    },
    onSuccess: ({ data }) => {
      onClose();
      say(`${said(data.backup.name)} is queued`);
    },
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organizationId, database.id) }),
  });
  const errors = fieldErrors(make.error);
  return (
    <MakeForm
      what="backup"
      busy={make.isPending}
      error={besideFields(make.error, ['name', 'retentionDays'])}
      onMake={() => make.mutate()}
      onLeave={onClose}
    >
      <Input
        label="Name"
        maxLength={63}
        autoComplete="off"
        placeholder="before-migration"
        value={name}
        hint="For people. Without one, it is called by its time."
        error={errors['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <Input
        label="Days until it is removed"
        type="number"
        inputMode="numeric"
        min={1}
        max={365}
        placeholder="never"
        value={days}
        hint="1 to 365. The newest good backup stays longer."
        error={errors['retentionDays']}
        onChange={(event) => setDays(event.target.value)}
      />
      <Checkbox
        label="Protect it"
        hint="Nothing removes it until the protection ends."
        checked={isProtected}
        onChange={(event) => setProtected(event.target.checked)}
      />
    </MakeForm>
  );
}
