import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { WebhookEndpoint } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { ifMatch } from '../../data/if-match.ts';
import { besideFields, fieldErrors } from '../../data/problem-error.ts';
import { webhookQuery } from '../../data/webhook-queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Fresh } from '../../ui/Fresh.tsx';
import { isLate, Late } from '../../ui/Late.tsx';
import { MakeForm } from '../../ui/MakeForm.tsx';
import {
  EndpointFields,
  endpointFields,
  requestOf,
  type EndpointDraft,
} from './EndpointFields.tsx';

interface Props {
  readonly endpointId: string;
  readonly onClose: () => void;
}

/** Reads the endpoint first: somebody may have changed it since the list was read. */
export function ChangeWebhook({ endpointId, onClose }: Props) {
  const organization = useOrganization();
  const read = useQuery(webhookQuery(organization.id, endpointId));
  return (
    <Fresh read={read}>
      {({ data, etag }) => <Form present={data.webhookEndpoint} etag={etag} onClose={onClose} />}
    </Fresh>
  );
}

interface FormProps {
  /** As it is now. */
  readonly present: WebhookEndpoint;
  readonly etag: string | undefined;
  readonly onClose: () => void;
}

const draftOf = ({
  url,
  description,
  eventTypes,
  databaseScope,
}: WebhookEndpoint): EndpointDraft => ({
  url,
  description,
  types: eventTypes.join(', '),
  databaseId: 'databaseId' in databaseScope ? databaseScope.databaseId : '',
});

const wordsOf = ({ url, description, types, databaseId }: EndpointDraft): string =>
  [url, description, types, databaseId || 'all databases'].filter((line) => line !== '').join('\n');

/** Changes the version that the person saw. */
function Form({ present, etag, onClose }: FormProps) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const [seen] = useState({ endpoint: present, etag });
  const [draft, setDraft] = useState(() => draftOf(present));
  const save = useMutation({
    mutationFn: () =>
      ask(
        organization.id,
        'patch',
        '/api/v1/webhook-endpoints/{endpointId}',
        {
          params: { endpointId: seen.endpoint.id },
          body: requestOf(draft),
        },
        { headers: ifMatch(seen.etag) },
      ),
    onSuccess: () => {
      onClose();
      say('The endpoint is changed');
    },
    // Shows what there is instead.
    onError: () => queryClient.invalidateQueries(webhookQuery(organization.id, present.id)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhooks', organization.id] }),
  });
  const errors = fieldErrors(save.error);
  return (
    <MakeForm
      make="Change endpoint"
      leave="Leave it"
      busy={save.isPending}
      error={besideFields(save.error, endpointFields)}
      onMake={() => save.mutate()}
      onLeave={onClose}
    >
      <EndpointFields draft={draft} errors={errors} onChange={setDraft} />
      {isLate(save.error, etag, seen.etag) && <Late now={wordsOf(draftOf(present))} />}
    </MakeForm>
  );
}
