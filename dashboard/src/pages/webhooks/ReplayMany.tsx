import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import type { DeliveryFilter } from '../../data/webhook-queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Makes all deliveries of the filter again; if it has no status, those that failed or were cancelled. Counts them first. */
export function ReplayMany({ filter }: { readonly filter: DeliveryFilter }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Send many again</Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Send many again"
        about="The filtered deliveries; without a status, failed and cancelled ones."
      >
        <Question filter={filter} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

interface Props {
  readonly filter: DeliveryFilter;
  readonly onClose: () => void;
}

function Question({ filter, onClose }: Props) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const intent = useIntent();
  const { status, ...rest } = filter;
  const wanted = { ...rest, ...(status !== undefined && { statuses: [status] }) };
  const replay = async (dryRun: boolean) => {
    const body = { ...wanted, dryRun };
    const path = '/api/v1/webhook-deliveries/replay';
    const send = (sending: object) => ask(organization.id, 'post', path, { body }, sending);
    // A count changes nothing: it is requested each time.
    return (await (dryRun ? send({}) : intent.try(body, send))).data;
  };
  const count = useQuery({
    queryKey: ['replay count', organization.id, filter],
    queryFn: () => replay(true),
    gcTime: 0,
  });
  const act = useMutation({
    mutationFn: () => replay(false),
    onSuccess: ({ replayed, expedited }) => {
      onClose();
      say(`${replayed + expedited} deliveries are made again`);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deliveries', organization.id] }),
  });
  if (count.isError) return <Failed read={count} />;
  if (count.isPending) return <Skeleton lines={2} />;
  const { replayed, expedited, skipped, more } = count.data;
  const total = replayed + expedited;
  return (
    <>
      <p>
        {`${replayed} would be made again, ${expedited} are pending and would be due at once, ${skipped} would be left out because their endpoint is disabled.`}
        {more && ' There are more; do it again afterwards.'}
      </p>
      {act.isError && <Problem error={act.error} />}
      <DialogButtons>
        <Button onClick={onClose}>Leave them</Button>
        <Button
          look="main"
          busy={act.isPending}
          disabledReason={total === 0 ? 'There is nothing to send again.' : undefined}
          onClick={() => act.mutate()}
        >
          {`Send ${total} again`}
        </Button>
      </DialogButtons>
    </>
  );
}
