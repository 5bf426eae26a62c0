import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { WebhookEndpoint } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Question } from '../../ui/Question.tsx';
import { ChangeWebhook } from './ChangeWebhook.tsx';

interface Props {
  readonly endpoint: WebhookEndpoint;
  readonly onSecret: (secret: string) => void;
}

const one = '/api/v1/webhook-endpoints/{endpointId}';

/** Buttons of an endpoint, each with its URL in its name for screen readers. A dialog shows failures. */
export function WebhookActions({ endpoint, onSecret }: Props) {
  const actions = useActions(endpoint, onSecret);
  const [asked, setAsked] = useState<'change' | 'delete' | 'rotate'>();
  const failed = [actions.test, actions.reveal, actions.enable].find(({ isError }) => isError);
  const close = () => setAsked(undefined);
  const isEnabled = endpoint.status === 'ENABLED';
  const button = (word: string) => ({
    small: true,
    'aria-label': `${word}: ${endpoint.url}`,
    children: word,
  });
  return (
    <>
      {isEnabled && (
        <Button
          {...button('Test')}
          busy={actions.test.isPending}
          onClick={() => actions.test.mutate()}
        />
      )}
      <Button {...button('Change')} look="quiet" onClick={() => setAsked('change')} />
      <Button
        {...button('Secret')}
        look="quiet"
        busy={actions.reveal.isPending}
        onClick={() => actions.reveal.mutate()}
      />
      <Button {...button('New secret')} look="quiet" onClick={() => setAsked('rotate')} />
      <Button
        {...button(isEnabled ? 'Disable' : 'Enable')}
        look="quiet"
        busy={actions.enable.isPending}
        onClick={() => actions.enable.mutate()}
      />
      <Button {...button('Delete')} look="bad" onClick={() => setAsked('delete')} />
      <Dialog open={asked === 'change'} onClose={close} title="Change the endpoint">
        <ChangeWebhook endpointId={endpoint.id} onClose={close} />
      </Dialog>
      <Sure
        asked={asked === 'change' ? undefined : asked}
        endpoint={endpoint}
        onClose={close}
        onSecret={onSecret}
      />
      <Dialog open={failed !== undefined} onClose={() => failed?.reset()} title="That did not work">
        {failed !== undefined && <Problem error={failed.error} />}
      </Dialog>
    </>
  );
}

function useActions({ id, status }: WebhookEndpoint, onSecret: (secret: string) => void) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const params = { endpointId: id };
  const intent = useIntent();
  const test = useMutation({
    mutationFn: () =>
      intent.try(['test', id], (sending) =>
        ask(organization.id, 'post', `${one}/test`, { params }, sending),
      ),
    onSuccess: async () => {
      say('The test event is on its way');
      await navigate({
        to: '/o/$slug/settings/webhooks/deliveries',
        params: { slug: organization.slug },
        search: { endpointId: id },
      });
    },
  });
  const reveal = useMutation({
    mutationFn: async () =>
      (await ask(organization.id, 'get', `${one}/secret`, { params })).data.secret,
    onSuccess: onSecret,
  });
  const enable = useMutation({
    mutationFn: () =>
      ask(organization.id, 'patch', one, {
        params,
        body: { status: status === 'ENABLED' ? 'DISABLED' : 'ENABLED' },
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhooks', organization.id] }),
  });
  return { test, reveal, enable };
}

interface SureProps {
  readonly asked: 'delete' | 'rotate' | undefined;
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

/** The question before an endpoint is deleted or gets another secret. */
function Sure({ asked, endpoint, onClose, onSecret }: SureProps) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const params = { endpointId: endpoint.id };
  const intent = useIntent();
  const act = useMutation({
    mutationFn: async (verb: 'delete' | 'rotate') => {
      if (verb === 'delete') {
        await ask(organization.id, 'delete', one, { params });
        return undefined;
      }
      const path = `${one}/secret/rotate` as const;
      const { data } = await intent.try(endpoint.id, (sending) =>
        ask(organization.id, 'post', path, { params, body: {} }, sending),
      );
      return data.secret;
    },
    onSuccess: (secret) => {
      onClose();
      if (secret === undefined) say('The endpoint is deleted');
      else onSecret(secret);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhooks', organization.id] }),
  });
  const isDelete = asked === 'delete';
  return (
    <Question
      open={asked !== undefined}
      onClose={onClose}
      title={isDelete ? 'Delete the endpoint?' : 'Make a new secret?'}
      about={
        isDelete
          ? `${endpoint.url} gets no more events, and the history of its deliveries goes with it.`
          : 'For a day requests carry signatures of both secrets, so that the receiver can change over.'
      }
      leave="Leave it"
      make={isDelete ? 'Delete endpoint' : 'Make secret'}
      look={isDelete ? 'bad' : 'main'}
      act={act}
      onMake={() => asked !== undefined && act.mutate(asked)}
    />
  );
}
