import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import type { SentInvitation } from '../../../../gen/api.ts';
import { ask, intentKey } from '../../data/client.ts';
import { fieldErrors } from '../../data/problem-error.ts';
import { useOrganization } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Input, Select } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Problem } from '../../ui/Problem.tsx';
import { roles, type Role } from './roles.ts';

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onSent: (sent: SentInvitation) => void;
}

export const Invite = (props: Props) => (
  <Dialog open={props.open} onClose={props.onClose} title="Invite somebody">
    <InviteForm {...props} />
  </Dialog>
);

function InviteForm({ onClose, onSent }: Props) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const mayOwners = organization.rights.includes('manageOwners');
  const invite = useMutation({
    mutationFn: async () =>
      (
        await ask(
          organization.id,
          'post',
          '/api/v1/invitations',
          { body: { email, role, databaseScope: { type: 'ALL' } } },
          { headers: { 'Idempotency-Key': intentKey() } },
        )
      ).data,
    onSuccess: (sent) => {
      onClose();
      onSent(sent);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['invitations', organization.id] }),
  });
  const errors = fieldErrors(invite.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate();
  };
  return (
    <form className={form.form} onSubmit={submit}>
      <Input
        label="Address"
        type="email"
        required
        maxLength={254}
        value={email}
        hint="The person who accepts must have verified this address."
        error={errors['email']}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Select
        label="Role"
        value={role}
        hint={roles.find(({ id }) => id === role)?.about}
        onChange={(event) =>
          setRole(roles.find(({ id }) => id === event.target.value)?.id ?? 'viewer')
        }
      >
        {roles
          .filter(({ id }) => mayOwners || id !== 'owner')
          .map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
      </Select>
      {invite.isError && Object.keys(errors).length === 0 && <Problem error={invite.error} />}
      <DialogButtons>
        <Button onClick={onClose}>Invite nobody</Button>
        <Button type="submit" look="main" busy={invite.isPending}>
          Invite
        </Button>
      </DialogButtons>
    </form>
  );
}
