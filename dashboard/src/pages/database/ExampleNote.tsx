import type { Database } from '../../../../gen/api.ts';

/** Says that the data of a database with the label `example` is made up. */
export const ExampleNote = ({ name, labels }: Pick<Database, 'name' | 'labels'>) =>
  labels['example'] === undefined ? null : (
    <p>
      <strong>{name}</strong> holds an example: a month of a shop’s payments, made up, in cents of
      ledger 978. Delete it whenever you like.
    </p>
  );
