import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { WebhookAttempt } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { deliveryQuery } from '../../data/webhook-queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import form from '../../ui/Form.module.css';
import { Card, Facts } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { Exactly } from '../../ui/When.tsx';

interface Props {
  readonly deliveryId: string | undefined;
  readonly onClose: () => void;
}

export const DeliveryDetails = ({ deliveryId, onClose }: Props) => (
  <Dialog open={deliveryId !== undefined} onClose={onClose} title="Delivery" side>
    {deliveryId !== undefined && <Details deliveryId={deliveryId} />}
  </Dialog>
);

function Details({ deliveryId }: { readonly deliveryId: string }) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const read = useQuery(deliveryQuery(organization.id, deliveryId));
  const intent = useIntent();
  const replay = useMutation({
    mutationFn: () =>
      intent.try(deliveryId, (sending) =>
        ask(
          organization.id,
          'post',
          '/api/v1/webhook-deliveries/{deliveryId}/replay',
          { params: { deliveryId } },
          sending,
        ),
      ),
    onSuccess: () => say('The delivery is made again'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deliveries', organization.id] }),
  });
  if (read.isPending) return <Skeleton lines={8} />;
  if (read.data === undefined) return <Failed read={read} />;
  const { webhookDelivery: delivery, requestBody, attempts } = read.data;
  return (
    <>
      <Failed read={read} />
      <Facts
        rows={[
          ['Event', <code key="event">{delivery.eventType}</code>],
          ['Event’s ID', delivery.eventId],
          ['Delivery’s ID', delivery.id],
          ['Status', delivery.status.toLowerCase()],
          [
            'Made again',
            delivery.replayGeneration === 0 ? 'never' : `${delivery.replayGeneration} times`,
          ],
        ]}
      />
      {replay.isError && <Problem error={replay.error} />}
      <DialogButtons>
        <Button busy={replay.isPending} onClick={() => replay.mutate()}>
          {delivery.status === 'PENDING' ? 'Send now' : 'Send again'}
        </Button>
      </DialogButtons>
      {requestBody !== null && <Code text={requestBody} what="the body of the requests" />}
      {attempts.length === 0 && <p>No attempt yet.</p>}
      {attempts.map((attempt) => (
        <Attempt key={attempt.number} attempt={attempt} />
      ))}
    </>
  );
}

const Attempt = ({ attempt }: { readonly attempt: WebhookAttempt }) => (
  <Card
    title={`Attempt ${attempt.number}`}
    {...(attempt.outcome === 'SUCCESS' ? {} : { tone: 'bad' as const })}
  >
    <div className={form.form}>
      <Facts
        rows={[
          ['Time', <Exactly key="time" at={attempt.startedAt} />],
          ['Took', `${attempt.durationMs} ms`],
          ['By', attempt.trigger === 'MANUAL' ? 'somebody’s wish' : 'the schedule'],
          ['Answer', attempt.statusCode ?? attempt.error ?? '–'],
        ]}
      />
      {attempt.responseExcerpt !== null && attempt.responseExcerpt !== '' && (
        <Code text={attempt.responseExcerpt} what={`the answer of attempt ${attempt.number}`} />
      )}
      <details>
        <summary aria-label={`Headers of the request of attempt ${attempt.number}`}>
          Headers of the request
        </summary>
        <Code
          text={Object.entries(attempt.requestHeaders)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
          what={`the headers of attempt ${attempt.number}`}
        />
      </details>
    </div>
  </Card>
);
