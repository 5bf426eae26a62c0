import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { said } from '../../lib/said.ts';
import { useNow, useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { EndSelect, endAfter } from './EndSelect.tsx';
import { MakeForm } from '../../ui/MakeForm.tsx';

interface Props {
  /** `undefined`: the dialog is closed. */
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
}

/** Changes the time at which a key expires. Its secret stays. */
export const RenewKey = ({ apiKey, onClose }: Props) => (
  <Dialog
    open={apiKey !== undefined}
    onClose={onClose}
    title={`Change the end of ${said(apiKey?.name ?? '')}`}
    about="The secret stays the same. To have another one, replace the key."
  >
    {apiKey !== undefined && <Form apiKey={apiKey} onClose={onClose} />}
  </Dialog>
);

function Form({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const intent = useIntent();
  const [begun] = useState(useNow());
  const [days, setDays] = useState('90');
  const renew = useMutation({
    mutationFn: () => {
      const path = '/api/v1/api-keys/{keyId}/renew';
      const body = { expiresAt: endAfter(days, begun) };
      const parts = { params: { keyId: apiKey.id }, body };
      return intent.try(body, (sending) => ask(organization.id, 'post', path, parts, sending));
    },
    onSuccess: () => {
      onClose();
      say('The key has another end');
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['keys', organization.id] }),
  });
  return (
    <MakeForm
      leave="Leave it"
      make="Change end"
      busy={renew.isPending}
      error={renew.error}
      onMake={() => renew.mutate()}
      onLeave={onClose}
    >
      <EndSelect days={days} error={undefined} onChoose={setDays} />
    </MakeForm>
  );
}
