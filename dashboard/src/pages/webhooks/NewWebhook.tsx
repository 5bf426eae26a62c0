import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { besideFields, fieldErrors } from '../../data/problem-error.ts';
import { useOrganization } from '../../shell/context.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { MakeForm } from '../../ui/MakeForm.tsx';
import { EndpointFields, endpointFields, requestOf } from './EndpointFields.tsx';

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}

export const NewWebhook = (props: Props) => (
  <Dialog open={props.open} onClose={props.onClose} title="New endpoint">
    <WebhookForm {...props} />
  </Dialog>
);

function WebhookForm({ onClose, onMade }: Props) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState({ url: '', description: '', types: '*', databaseId: '' });
  const intent = useIntent();
  const make = useMutation({
    mutationFn: async () => {
      const body = requestOf(draft);
      const path = '/api/v1/webhook-endpoints';
      const { data } = await intent.try(body, (sending) =>
        ask(organization.id, 'post', path, { body }, sending),
      );
      return data.secret;
    },
    onSuccess: (secret) => {
      onClose();
      onMade(secret);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhooks', organization.id] }),
  });
  const errors = fieldErrors(make.error);
  return (
    <MakeForm
      what="endpoint"
      busy={make.isPending}
      error={besideFields(make.error, endpointFields)}
      onMake={() => make.mutate()}
      onLeave={onClose}
    >
      <EndpointFields draft={draft} errors={errors} onChange={setDraft} />
    </MakeForm>
  );
}
