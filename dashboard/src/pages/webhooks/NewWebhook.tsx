import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { fieldErrors } from '../../data/problem-error.ts';
import { useOrganization } from '../../shell/context.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Input, TextArea } from '../../ui/Field.tsx';
import { MakeForm } from '../../ui/MakeForm.tsx';
import { DatabaseSelect, scopeOf } from '../databases/DatabaseSelect.tsx';

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
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [types, setTypes] = useState('*');
  const [databaseId, setDatabaseId] = useState('');
  const intent = useIntent();
  const make = useMutation({
    mutationFn: async () => {
      const body = {
        url,
        description,
        eventTypes: types.split(/[\s,]+/).filter((one) => one !== ''),
        databaseScope: scopeOf(databaseId),
      };
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
  const typeError = Object.entries(errors).find(([name]) => name.startsWith('eventTypes'))?.[1];
  return (
    <MakeForm
      what="endpoint"
      busy={make.isPending}
      error={Object.keys(errors).length === 0 ? make.error : null}
      onMake={() => make.mutate()}
      onLeave={onClose}
    >
      <Input
        label="URL"
        required
        mono
        maxLength={2_048}
        placeholder="https://hooks.example.com/ledgerhouse"
        value={url}
        error={errors['url']}
        onChange={(event) => setUrl(event.target.value)}
      />
      <Input
        label="Note"
        maxLength={200}
        value={description}
        error={errors['description']}
        onChange={(event) => setDescription(event.target.value)}
      />
      <TextArea
        label="Events"
        mono
        rows={2}
        value={types}
        hint="Types such as database.ready, a group such as database.*, or * for all; the API reference lists them."
        error={typeError}
        onChange={(event) => setTypes(event.target.value)}
      />
      <DatabaseSelect
        all="All, and the organization’s own events"
        value={databaseId}
        error={errors['databaseScope']}
        onChoose={setDatabaseId}
      />
    </MakeForm>
  );
}
