import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { besideFields, fieldErrors } from '../../data/problem-error.ts';
import { useNow, useOrganization } from '../../shell/context.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Checkbox, Input } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { MakeForm } from '../../ui/MakeForm.tsx';
import { DatabaseSelect, scopeOf } from '../databases/DatabaseSelect.tsx';
import { Addresses, addressesOf } from './Addresses.tsx';
import { endAfter, EndSelect } from './EndSelect.tsx';

interface Props {
  readonly open: boolean;
  /** The database that is chosen at first; by default all of them. */
  readonly databaseId?: string;
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}

export const NewKey = (props: Props) => (
  <Dialog open={props.open} onClose={props.onClose} title="New key">
    <KeyForm {...props} />
  </Dialog>
);

function KeyForm({ databaseId: first = '', onClose, onMade }: Props) {
  const organization = useOrganization();
  const mayAll = organization.rights.includes('manageKeys');
  const [name, setName] = useState('');
  const [write, setWrite] = useState(false);
  const [databaseId, setDatabaseId] = useState(first);
  const [days, setDays] = useState('90');
  const [addresses, setAddresses] = useState('');
  const make = useMakeKey({ name, write, databaseId, days, addresses }, { onClose, onMade });
  const errors = fieldErrors(make.error);
  return (
    <MakeForm
      what="key"
      busy={make.isPending}
      error={besideFields(make.error, ['name', 'databaseScope', 'expiresAt', 'ipAllowList'])}
      onMake={() => make.mutate()}
      onLeave={onClose}
    >
      <Input
        label="Name"
        required
        maxLength={100}
        placeholder="billing-service"
        value={name}
        error={errors['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <Checkbox
        label="It may write"
        hint={
          mayAll
            ? 'Create accounts and transfers, and databases where it is for all of them.'
            : 'Your role makes keys that read. Owners and admins make others.'
        }
        disabled={!mayAll}
        checked={write}
        onChange={(event) => setWrite(event.target.checked)}
      />
      <div className={form.row}>
        <DatabaseSelect
          all="All"
          value={databaseId}
          error={errors['databaseScope']}
          onChoose={setDatabaseId}
        />
        <EndSelect days={days} error={errors['expiresAt']} onChoose={setDays} />
      </div>
      <Addresses text={addresses} error={errors['ipAllowList']} onType={setAddresses} />
    </MakeForm>
  );
}

interface KeyDraft {
  readonly name: string;
  readonly write: boolean;
  readonly databaseId: string;
  /** Days until it expires; empty: it never expires. */
  readonly days: string;
  readonly addresses: string;
}

function useMakeKey(
  { name, write, databaseId, days, addresses }: KeyDraft,
  { onClose, onMade }: Pick<Props, 'onClose' | 'onMade'>,
) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const intent = useIntent();
  const now = useNow();
  // The expiry is part of the request: a second try must not move it.
  const [begun] = useState(now);
  return useMutation({
    mutationFn: async () => {
      const body = {
        name,
        permissions: write ? (['db:read', 'db:write'] as const) : (['db:read'] as const),
        databaseScope: scopeOf(databaseId),
        ipAllowList: addressesOf(addresses),
        expiresAt: endAfter(days, begun),
      };
      const { data } = await intent.try(body, (sending) =>
        ask(organization.id, 'post', '/api/v1/api-keys', { body }, sending),
      );
      return data.secret;
    },
    onSuccess: (secret) => {
      onClose();
      onMade(secret);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['keys', organization.id] }),
  });
}
