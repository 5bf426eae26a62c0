import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member, RemovedMember } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { said } from '../../lib/said.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogButtons } from '../../ui/Dialog.tsx';
import { Checkbox } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Problem } from '../../ui/Problem.tsx';

interface Props {
  readonly member: Member;
  readonly onClose: () => void;
  /** Called with what the member had made. */
  readonly onRemoved: (removed: RemovedMember) => void;
}

/** The question before a member is removed: what they made can be revoked with it. */
export function RemoveMember({ member, onClose, onRemoved }: Props) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const [keys, setKeys] = useState(true);
  const [invitations, setInvitations] = useState(true);
  const remove = useMutation({
    mutationFn: async () => {
      const revoke = [
        ...(keys ? (['apiKeys'] as const) : []),
        ...(invitations ? (['invitations'] as const) : []),
      ];
      const { data } = await ask(organization.id, 'delete', '/api/v1/members/{membershipId}', {
        params: { membershipId: member.id },
        query: revoke.length === 0 ? {} : { revoke },
      });
      return data;
    },
    onSuccess: (removed) => {
      onClose();
      say(`${said(member.user.name)} is no longer a member`);
      // Kept ones are worth a look; revoked ones are not.
      onRemoved({
        ...removed,
        apiKeys: keys ? [] : removed.apiKeys,
        invitations: invitations ? [] : removed.invitations,
      });
    },
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ['members', organization.id] });
      await queryClient.invalidateQueries({ queryKey: ['invitations', organization.id] });
      await queryClient.invalidateQueries({ queryKey: ['keys', organization.id] });
    },
  });
  return (
    <div className={form.form}>
      <Checkbox
        label="Revoke the keys that they made"
        hint="Keys belong to the organization: otherwise they go on working, for everybody who knows them."
        checked={keys}
        onChange={(event) => setKeys(event.target.checked)}
      />
      <Checkbox
        label="Take back the invitations that they sent"
        checked={invitations}
        onChange={(event) => setInvitations(event.target.checked)}
      />
      {remove.isError && <Problem error={remove.error} />}
      <DialogButtons>
        <Button onClick={onClose}>Keep them</Button>
        <Button look="bad" busy={remove.isPending} onClick={() => remove.mutate()}>
          Remove
        </Button>
      </DialogButtons>
    </div>
  );
}
