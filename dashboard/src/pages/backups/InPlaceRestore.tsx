import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { InPlaceRestorePreview } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { databaseKey } from '../../data/queries.ts';
import { inPlacePreviewQuery } from '../../data/recovery-queries.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import form from '../../ui/Form.module.css';
import { NameField } from '../../ui/NameField.tsx';
import { Card, Facts } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { useDatabase } from '../database/use-database.ts';
import styles from './InPlaceRestore.module.css';
import { At } from './RecoveryCard.tsx';
import { originOf, type From } from './restore-draft.ts';
import { lostWords } from './words.ts';

interface Props {
  readonly from: From;
  /** Why that cannot be restored; `undefined`: it can. */
  readonly notGood: string | undefined;
}

/** The other way: this database itself goes back, instead of a new one being made. */
export function InPlaceRestore({ from, notGood }: Props) {
  const organization = useOrganization();
  const { database } = useDatabase();
  const [open, setOpen] = useState(false);
  const refused = whyNot(organization, 'restoreInPlace') ?? notGood;
  return (
    <Card title={`Or set ${database.name} itself back`} tone="bad">
      <div className={form.form}>
        <p>
          It keeps its ID, name, keys and address, and loses everything that was written after that
          state. A last backup keeps it: restoring that one in place undoes this. Nobody can use it
          for some minutes.
        </p>
        <div>
          <Button look="bad" disabledReason={refused} onClick={() => setOpen(true)}>
            Set this database back
          </Button>
        </div>
      </div>
      {open && <InPlaceDialog from={from} onClose={() => setOpen(false)} />}
    </Card>
  );
}

function InPlaceDialog({ from, onClose }: { readonly from: From; readonly onClose: () => void }) {
  const { id: organizationId, slug } = useOrganization();
  const { database } = useDatabase();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const intent = useIntent();
  const [typed, setTyped] = useState('');
  const origin = originOf(from);
  const preview = useQuery(inPlacePreviewQuery(organizationId, database.id, origin));
  const restore = useMutation({
    mutationFn: () => {
      const path = '/api/v1/databases/{databaseId}/restore-in-place';
      const parts = {
        params: { databaseId: database.id },
        body: { ...origin, confirmName: typed },
      };
      return intent.try(parts.body, (sending) => ask(organizationId, 'post', path, parts, sending));
    },
    onSuccess: async () => {
      onClose();
      say(`${database.name} goes back`);
      const params = { slug, name: database.name };
      await navigate({ to: '/o/$slug/databases/$name', params, search: {} });
    },
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organizationId, database.id) }),
  });
  const missing = typed === database.name ? undefined : 'Type the name first.';
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Set ${database.name} back?`}
      about="A backup is made and tested while it serves. Then it stops, a last backup takes everything that was ever answered, and it begins again with the earlier state. If that fails, it comes back as it was."
    >
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (missing === undefined) restore.mutate();
        }}
      >
        {preview.isPending && <Skeleton lines={3} />}
        <Failed read={preview} />
        {preview.isSuccess && <Lost {...preview.data} from={from} />}
        <NameField name={database.name} typed={typed} onType={setTyped} />
        {restore.isError && <Problem error={restore.error} />}
        <DialogButtons>
          <Button onClick={onClose}>Leave it as it is</Button>
          <Button
            type="submit"
            look="bad"
            busy={restore.isPending}
            disabledReason={preview.isSuccess ? missing : 'It is not known yet what would be lost.'}
          >
            Set it back
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

type Losing = InPlaceRestorePreview['preview'] & Pick<Props, 'from'>;

function Lost({ moment, later, impact, from }: Losing) {
  const reached = moment === null ? wanted(from) : <At {...moment} />;
  return (
    <>
      <Facts
        rows={[
          ...(reached === undefined ? [] : [['Goes back to', reached] as const]),
          ['Loses', lostWords(later)],
        ]}
      />
      <ul className={styles.effects}>
        {impact.warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </>
  );
}

/** Before the log is read, nobody knows which operation that is. */
const wanted = (from: From) =>
  'targetTime' in from ? (
    <>
      the last operation at or before <code>{from.targetTime}</code>
    </>
  ) : undefined;
