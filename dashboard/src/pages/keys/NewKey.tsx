import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ask, intentKey } from '../../data/client.ts';
import { fieldErrors } from '../../data/problem-error.ts';
import { databasesQuery } from '../../data/queries.ts';
import { useNow, useOrganization } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Checkbox, Input, Select, TextArea } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Problem } from '../../ui/Problem.tsx';

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}

export const NewKey = (props: Props) => (
  <Dialog open={props.open} onClose={props.onClose} title="New key">
    <KeyForm {...props} />
  </Dialog>
);

const dayMs = 86_400_000;

function KeyForm({ onClose, onMade }: Props) {
  const organization = useOrganization();
  const mayAll = organization.rights.includes('manageKeys');
  const [name, setName] = useState('');
  const [write, setWrite] = useState(false);
  const [databaseId, setDatabaseId] = useState('');
  const [days, setDays] = useState('90');
  const [addresses, setAddresses] = useState('');
  const databases = useInfiniteQuery(databasesQuery(organization.id, { sort: 'name' }));
  const make = useMakeKey({ name, write, databaseId, days, addresses }, { onClose, onMade });
  const errors = fieldErrors(make.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <form className={form.form} onSubmit={submit}>
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
        <Select
          label="Databases"
          value={databaseId}
          error={errors['databaseScope']}
          onChange={(event) => setDatabaseId(event.target.value)}
        >
          <option value="">All</option>
          {databases.data?.pages
            .flatMap(({ data }) => data)
            .map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
        </Select>
        <Select
          label="Ends"
          value={days}
          hint={days === '' ? 'A key without an end works until somebody revokes it.' : undefined}
          error={errors['expiresAt']}
          onChange={(event) => setDays(event.target.value)}
        >
          <option value="30">In 30 days</option>
          <option value="90">In 90 days</option>
          <option value="365">In 365 days</option>
          <option value="">Never</option>
        </Select>
      </div>
      <TextArea
        label="From these addresses only"
        mono
        rows={2}
        placeholder="10.0.0.0/8"
        value={addresses}
        hint="Addresses and ranges; empty: from anywhere."
        error={errors['ipAllowList']}
        onChange={(event) => setAddresses(event.target.value)}
      />
      {make.isError && Object.keys(errors).length === 0 && <Problem error={make.error} />}
      <DialogButtons>
        <Button onClick={onClose}>Make none</Button>
        <Button type="submit" look="main" busy={make.isPending}>
          Make key
        </Button>
      </DialogButtons>
    </form>
  );
}

interface KeyDraft {
  readonly name: string;
  readonly write: boolean;
  readonly databaseId: string;
  /** Until it ends; empty: it never ends. */
  readonly days: string;
  readonly addresses: string;
}

function useMakeKey(
  { name, write, databaseId, days, addresses }: KeyDraft,
  { onClose, onMade }: Omit<Props, 'open'>,
) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const now = useNow();
  return useMutation({
    mutationFn: async () => {
      const ends = new Date(now.getTime() + Number(days) * dayMs).toISOString();
      const { data } = await ask(
        organization.id,
        'post',
        '/api/v1/api-keys',
        {
          body: {
            name,
            permissions: write ? ['db:read', 'db:write'] : ['db:read'],
            databaseScope: databaseId === '' ? { type: 'ALL' } : { type: 'DATABASE', databaseId },
            ipAllowList: addresses.split(/[\s,]+/).filter((one) => one !== ''),
            expiresAt: days === '' ? null : ends,
          },
        },
        { headers: { 'Idempotency-Key': intentKey() } },
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
