import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChangeStream } from '../../../../gen/api.ts';
import { changeStreamsKey } from '../../data/change-stream-queries.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { said } from '../../lib/said.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Question } from '../../ui/Question.tsx';
import { StreamDialog } from './StreamDialog.tsx';
import { nextStep, rotationOf } from './words.ts';

interface Props {
  readonly stream: ChangeStream;
  readonly onSecret: (secret: string) => void;
}

const one = '/api/v1/databases/{databaseId}/change-streams/{streamId}';

/** Buttons of a stream. Failures are shown in a dialog. */
export function StreamActions({ stream, onSecret }: Props) {
  const organization = useOrganization();
  const [asked, setAsked] = useState<'change' | 'rotate' | 'delete'>();
  const { step, reveal } = useActions(stream, onSecret);
  const disabledReason = whyNot(organization, 'changeDatabase');
  const { verb } = nextStep(stream.state);
  const named = said(stream.description) || stream.sink.url;
  const close = () => setAsked(undefined);
  const button = (word: string) => ({
    small: true,
    disabledReason,
    'aria-label': `${word}: ${named}`,
    children: word,
  });
  const failed = [step, reveal].find(({ isError }) => isError);
  return (
    <>
      <Button {...button(verb)} busy={step.isPending} onClick={() => step.mutate()} />
      <Button {...button('Change')} look="quiet" onClick={() => setAsked('change')} />
      {stream.signing !== null && (
        <>
          <Button
            {...button('Secret')}
            look="quiet"
            busy={reveal.isPending}
            onClick={() => reveal.mutate()}
          />
          <Button {...button('New secret')} look="quiet" onClick={() => setAsked('rotate')} />
        </>
      )}
      <Button {...button('Delete')} look="bad" onClick={() => setAsked('delete')} />
      <StreamDialog open={asked === 'change'} onClose={close} stream={stream} />
      <Rotate open={asked === 'rotate'} onClose={close} stream={stream} onSecret={onSecret} />
      <Delete open={asked === 'delete'} onClose={close} stream={stream} />
      <Dialog open={failed !== undefined} onClose={() => failed?.reset()} title="That did not work">
        {failed !== undefined && <Problem error={failed.error} />}
      </Dialog>
    </>
  );
}

function useSettled({ databaseId }: ChangeStream) {
  const { id: organizationId } = useOrganization();
  const queryClient = useQueryClient();
  return () =>
    queryClient.invalidateQueries({ queryKey: changeStreamsKey(organizationId, databaseId) });
}

function useActions(stream: ChangeStream, onSecret: (secret: string) => void) {
  const { id: organizationId } = useOrganization();
  const params = { databaseId: stream.databaseId, streamId: stream.id };
  const { verb, state } = nextStep(stream.state);
  const step = useMutation({
    mutationFn: () => ask(organizationId, 'patch', one, { params, body: { state } }),
    onSuccess: () =>
      say(verb === 'Pause' ? 'The stream is paused' : 'The stream goes on where it was'),
    onSettled: useSettled(stream),
  });
  const reveal = useMutation({
    mutationFn: async () =>
      (await ask(organizationId, 'get', `${one}/secret`, { params })).data.secret,
    onSuccess: onSecret,
  });
  return { step, reveal };
}

interface QuestionProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly stream: ChangeStream;
}

function Rotate({ open, onClose, stream, onSecret }: QuestionProps & Pick<Props, 'onSecret'>) {
  const { id: organizationId } = useOrganization();
  const params = { databaseId: stream.databaseId, streamId: stream.id };
  const { about, body } = rotationOf(stream);
  const intent = useIntent();
  const rotate = useMutation({
    mutationFn: async () => {
      const path = `${one}/secret/rotate` as const;
      const { data } = await intent.try([stream.id, body], (sending) =>
        ask(organizationId, 'post', path, { params, body }, sending),
      );
      return data.secret;
    },
    onSuccess: (secret) => {
      onClose();
      onSecret(secret);
    },
    onSettled: useSettled(stream),
  });
  return (
    <Question
      open={open}
      onClose={onClose}
      title="Make a new secret?"
      about={about}
      leave="Leave it"
      make="Make secret"
      look="main"
      act={rotate}
      onMake={() => rotate.mutate()}
    />
  );
}

function Delete({ open, onClose, stream }: QuestionProps) {
  const { id: organizationId } = useOrganization();
  const params = { databaseId: stream.databaseId, streamId: stream.id };
  const remove = useMutation({
    mutationFn: () => ask(organizationId, 'delete', one, { params }),
    onSuccess: () => {
      onClose();
      say('The stream is deleted');
    },
    onSettled: useSettled(stream),
  });
  return (
    <Question
      open={open}
      onClose={onClose}
      title="Delete the stream?"
      about={`${stream.sink.url} gets no more events, and its position is lost. The events stay in the ledger. To stop it for a while, pause it.`}
      leave="Keep it"
      make="Delete stream"
      act={remove}
      onMake={() => remove.mutate()}
    />
  );
}
