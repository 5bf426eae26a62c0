import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChangeStream } from '../../../../gen/api.ts';
import { changeStreamQuery, changeStreamsKey } from '../../data/change-stream-queries.ts';
import { ask } from '../../data/client.ts';
import { ifMatch } from '../../data/if-match.ts';
import { useIntent } from '../../data/intent.ts';
import { besideFields, fieldErrors } from '../../data/problem-error.ts';
import { exactLedgerTime } from '../../lib/time.ts';
import { useNow, useZone } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Input, Select } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Fresh } from '../../ui/Fresh.tsx';
import { isLate, Late } from '../../ui/Late.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useDatabase } from '../database/use-database.ts';
import {
  changesOf,
  draftOf,
  newStream,
  settingsWords,
  startOf,
  type StreamDraft,
} from './draft.ts';
import { SinkFields } from './SinkFields.tsx';

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  /** The stream to change. Absent: the dialog makes a new one. */
  readonly stream?: ChangeStream;
  /** Called with the secret of a stream that was made, if its sink takes signatures. */
  readonly onMade?: (secret: string) => void;
}

export const StreamDialog = (props: Props) => (
  <Dialog
    open={props.open}
    onClose={props.onClose}
    title={props.stream === undefined ? 'New change stream' : 'Change the stream'}
    about={
      props.stream === undefined
        ? 'It gets every transfer that is created and every pending one that expires: in order, and at least once.'
        : 'It keeps its place: another receiver gets the next event.'
    }
  >
    {props.stream === undefined ? (
      <StreamForm {...props} />
    ) : (
      <ChangeForm {...props} streamId={props.stream.id} />
    )}
  </Dialog>
);

function ChangeForm({ streamId, ...props }: Props & { readonly streamId: string }) {
  const { database, organizationId } = useDatabase();
  const read = useQuery(changeStreamQuery(organizationId, database.id, streamId));
  return (
    <Fresh read={read}>
      {({ data, etag }) => <StreamForm {...props} stream={data.changeStream} etag={etag} />}
    </Fresh>
  );
}

interface FormProps extends Props {
  readonly etag?: string | undefined;
}

function StreamForm({ stream: present, etag, onClose, onMade }: FormProps) {
  const [seen] = useState({ stream: present, etag });
  const { stream } = seen;
  const [openedAt] = useState(useNow());
  const [draft, setDraft] = useState(() => draftOf(stream));
  const change = (part: Partial<StreamDraft>) => setDraft({ ...draft, ...part });
  const make = useMake((secret) => {
    onClose();
    if (secret === null) say('The stream is made');
    else onMade?.(secret);
  });
  const save = useSave(stream, seen.etag, onClose);
  const act = stream === undefined ? make : save;
  const errors = fieldErrors(act.error);
  const other = besideFields(act.error, ['sink', 'description', 'after']);
  const after = startOf(draft, openedAt);
  const same = stream !== undefined && Object.keys(changesOf(draft, stream)).length === 0;
  const submit = () => {
    if (stream !== undefined) save.mutate(changesOf(draft, stream));
    else if (after !== undefined) make.mutate(newStream(draft, after));
  };
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <SinkFields
        draft={draft}
        isThere={stream !== undefined}
        error={errors['sink']}
        onChange={change}
      />
      <Input
        label="Note"
        maxLength={200}
        value={draft.description}
        error={errors['description']}
        onChange={(event) => change({ description: event.target.value })}
      />
      {stream === undefined && (
        <Start draft={draft} after={after} error={errors['after']} onChange={change} />
      )}
      {other !== null && <Problem error={other} />}
      {present !== undefined && isLate(save.error, etag, seen.etag) && (
        <Late now={settingsWords(present)} />
      )}
      <DialogButtons>
        <Button onClick={onClose}>{stream === undefined ? 'Make none' : 'Leave it'}</Button>
        <Button
          type="submit"
          look="main"
          busy={act.isPending}
          disabledReason={same ? 'Nothing is different.' : undefined}
        >
          {stream === undefined ? 'Make stream' : 'Save stream'}
        </Button>
      </DialogButtons>
    </form>
  );
}

interface StartProps {
  readonly draft: StreamDraft;
  /** `after` of the request. `undefined` if the text is not a time. */
  readonly after: string | undefined;
  readonly error: string | undefined;
  readonly onChange: (part: Partial<StreamDraft>) => void;
}

function Start({ draft, after, error, onChange }: StartProps) {
  const zone = useZone();
  const isWrong = after === undefined && draft.time !== '';
  return (
    <div className={form.row}>
      <Select
        label="Begins with"
        value={draft.start}
        hint="Imported transfers have past times: a stream that is beyond them does not send them."
        onChange={(event) => onChange({ start: event.target.value as StreamDraft['start'] })}
      >
        <option value="now">what comes from now on</option>
        <option value="beginning">the first event of the ledger</option>
        <option value="time">the first event after a time</option>
      </Select>
      {draft.start === 'time' && (
        <Input
          label="After"
          mono
          required
          value={draft.time}
          hint={
            after === undefined
              ? 'Such as 2026-11-22 14:00 (UTC), -1h, or nanoseconds.'
              : exactLedgerTime(after, zone)
          }
          error={isWrong ? 'A time such as 2026-11-22 14:00 (UTC), -1h, or nanoseconds.' : error}
          onChange={(event) => onChange({ time: event.target.value })}
        />
      )}
    </div>
  );
}

const all = '/api/v1/databases/{databaseId}/change-streams';

function useMake(onMade: (secret: string | null) => void) {
  const { database, organizationId } = useDatabase();
  const { id: databaseId } = database;
  const queryClient = useQueryClient();
  const intent = useIntent();
  return useMutation({
    mutationFn: async (body: ReturnType<typeof newStream>) => {
      const parts = { params: { databaseId }, body };
      const { data } = await intent.try(body, (sending) =>
        ask(organizationId, 'post', all, parts, sending),
      );
      return data.secret;
    },
    onSuccess: onMade,
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: changeStreamsKey(organizationId, databaseId) }),
  });
}

function useSave(stream: ChangeStream | undefined, etag: string | undefined, onSaved: () => void) {
  const { database, organizationId } = useDatabase();
  const { id: databaseId } = database;
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: ReturnType<typeof changesOf>) => {
      const params = { databaseId, streamId: stream?.id ?? '' };
      const headers = ifMatch(etag);
      return ask(organizationId, 'patch', `${all}/{streamId}`, { params, body }, { headers });
    },
    onSuccess: () => {
      onSaved();
      say('The stream is changed');
    },
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: changeStreamsKey(organizationId, databaseId) }),
  });
}
