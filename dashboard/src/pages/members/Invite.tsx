import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import type { SentInvitation } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { besideFields, fieldErrors } from '../../data/problem-error.ts';
import { useOrganization } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Input } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Problem } from '../../ui/Problem.tsx';
import { StandingFields, whyIncomplete, type Standing } from './StandingFields.tsx';

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
  const [standing, setStanding] = useState<Standing>({
    role: 'developer',
    databaseScope: { type: 'ALL' },
  });
  const intent = useIntent();
  const invite = useMutation({
    mutationFn: async () => {
      const body = { email, ...standing };
      const { data } = await intent.try(body, (sending) =>
        ask(organization.id, 'post', '/api/v1/invitations', { body }, sending),
      );
      return data;
    },
    onSuccess: (sent) => {
      onClose();
      onSent(sent);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['invitations', organization.id] }),
  });
  const errors = fieldErrors(invite.error);
  const other = besideFields(invite.error, ['email', 'databaseScope']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (whyIncomplete(standing) === undefined) invite.mutate();
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
      <StandingFields standing={standing} error={errors['databaseScope']} onChange={setStanding} />
      {other !== null && <Problem error={other} />}
      <DialogButtons>
        <Button onClick={onClose}>Invite nobody</Button>
        <Button
          type="submit"
          look="main"
          busy={invite.isPending}
          disabledReason={whyIncomplete(standing)}
        >
          Invite
        </Button>
      </DialogButtons>
    </form>
  );
}
