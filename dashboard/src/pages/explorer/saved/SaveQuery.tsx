import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../../data/client.ts';
import { useIntent } from '../../../data/intent.ts';
import { fieldErrors } from '../../../data/problem-error.ts';
import { say } from '../../../ui/announcer.ts';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Input } from '../../../ui/Field.tsx';
import { MakeForm } from '../../../ui/MakeForm.tsx';
import { useDatabase } from '../../database/use-database.ts';
import { wordsOfQuery } from '../history.ts';
import type { ExplorerSearch } from '../search.ts';
import { askedOf, savedPath, savedQueriesQuery } from './queries.ts';

interface Props {
  readonly search: ExplorerSearch;
  readonly onClose: () => void;
}

/** Gives the form's query a name, by which everybody finds it who may see the database. */
export const SaveQuery = (props: Props) => (
  <Dialog open onClose={props.onClose} title="Save the query">
    <SaveForm {...props} />
  </Dialog>
);

function SaveForm({ search, onClose }: Props) {
  const { database, organizationId } = useDatabase();
  const { id: databaseId } = database;
  const queryClient = useQueryClient();
  const intent = useIntent();
  const [name, setName] = useState('');
  const asked = askedOf(search);
  const save = useMutation({
    mutationFn: () => {
      const parts = { params: { databaseId }, body: { name, ...asked } };
      return intent.try(parts.body, (sending) =>
        ask(organizationId, 'post', savedPath, parts, sending),
      );
    },
    onSuccess: () => {
      onClose();
      say('The query is saved');
    },
    onSettled: () => queryClient.invalidateQueries(savedQueriesQuery(organizationId, databaseId)),
  });
  const errors = fieldErrors(save.error);
  return (
    <MakeForm
      make="Save query"
      leave="Save none"
      busy={save.isPending}
      error={errors['name'] === undefined ? save.error : null}
      onMake={() => save.mutate()}
      onLeave={onClose}
    >
      <p>{wordsOfQuery({ ...asked.filters, op: asked.operation })}</p>
      <Input
        label="Name"
        required
        maxLength={100}
        value={name}
        error={errors['name']}
        onChange={(event) => setName(event.target.value)}
      />
    </MakeForm>
  );
}
