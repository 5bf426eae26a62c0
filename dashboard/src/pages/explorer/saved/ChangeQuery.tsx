import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SavedQuery } from '../../../../../gen/api.ts';
import { ask } from '../../../data/client.ts';
import { ifMatch } from '../../../data/if-match.ts';
import { fieldErrors, isProblem } from '../../../data/problem-error.ts';
import { said } from '../../../lib/said.ts';
import { say } from '../../../ui/announcer.ts';
import { Button } from '../../../ui/Button.tsx';
import { DialogButtons } from '../../../ui/Dialog.tsx';
import { Checkbox, Input } from '../../../ui/Field.tsx';
import form from '../../../ui/Form.module.css';
import { Fresh } from '../../../ui/Fresh.tsx';
import { Problem } from '../../../ui/Problem.tsx';
import { useDatabase } from '../../database/use-database.ts';
import { wordsOfQuery } from '../history.ts';
import type { ExplorerSearch } from '../search.ts';
import { askedOf, onePath, savedQueriesQuery, savedQueryQuery, searchOf } from './queries.ts';

interface Props {
  readonly queryId: string;
  /** What the form of the page asks for. */
  readonly search: ExplorerSearch;
  readonly onClose: () => void;
}

/** Reads the query first: another tab may have changed it since the list was read. */
export function ChangeQuery(props: Props) {
  const { database, organizationId } = useDatabase();
  const read = useQuery(savedQueryQuery(organizationId, database.id, props.queryId));
  return (
    <Fresh read={read}>
      {({ data, etag }) => <Form {...props} present={data.savedQuery} etag={etag} />}
    </Fresh>
  );
}

interface FormProps extends Props {
  /** As it is now. */
  readonly present: SavedQuery;
  readonly etag: string | undefined;
}

function Form({ queryId, search, present, etag, onClose }: FormProps) {
  const [seen] = useState({ query: present, etag });
  const [name, setName] = useState(seen.query.name);
  const [takes, setTakes] = useState(false);
  const act = useAct(queryId, seen.etag, onClose);
  const errors = fieldErrors(act.error);
  const now = askedOf(search);
  const isSame = name === seen.query.name && !takes;
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSame) act.mutate({ name, ...(takes && now) });
      }}
    >
      <p>{wordsOfQuery(searchOf(seen.query))}</p>
      <Input
        label="Name"
        required
        maxLength={100}
        value={name}
        error={errors['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <Checkbox
        label="Ask what the form asks now"
        hint={wordsOfQuery(searchOf(now))}
        checked={takes}
        onChange={(event) => setTakes(event.target.checked)}
      />
      {act.isError && errors['name'] === undefined && <Problem error={act.error} />}
      {isProblem(act.error, 'precondition_failed') && present.version !== seen.query.version && (
        <p role="status">
          It is now “{said(present.name)}”: {wordsOfQuery(searchOf(present))}. Leave it, and change
          it again.
        </p>
      )}
      <DialogButtons>
        <Button look="bad" busy={act.isPending} onClick={() => act.mutate('delete')}>
          Delete query
        </Button>
        <Button onClick={onClose}>Leave it</Button>
        <Button
          type="submit"
          look="main"
          busy={act.isPending}
          disabledReason={isSame ? 'Nothing is different.' : undefined}
        >
          Change query
        </Button>
      </DialogButtons>
    </form>
  );
}

type Act = 'delete' | Partial<Pick<SavedQuery, 'name' | 'operation' | 'filters'>>;

/** Changes or deletes the version that the person saw. */
function useAct(queryId: string, etag: string | undefined, onDone: () => void) {
  const { database, organizationId } = useDatabase();
  const { id: databaseId } = database;
  const queryClient = useQueryClient();
  const params = { databaseId, queryId };
  const headers = ifMatch(etag);
  return useMutation({
    mutationFn: async (act: Act) => {
      await (act === 'delete'
        ? ask(organizationId, 'delete', onePath, { params }, { headers })
        : ask(organizationId, 'patch', onePath, { params, body: act }, { headers }));
      return act;
    },
    onSuccess: (act) => {
      onDone();
      say(act === 'delete' ? 'The query is deleted' : 'The query is changed');
    },
    // Shows what there is instead.
    onError: () =>
      queryClient.invalidateQueries(savedQueryQuery(organizationId, databaseId, queryId)),
    onSettled: () => queryClient.invalidateQueries(savedQueriesQuery(organizationId, databaseId)),
  });
}
