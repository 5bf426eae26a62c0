import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Import } from '../../../../../gen/api.ts';
import { deleteImport, importsKey, importsQuery } from '../../../data/import-queries.ts';
import { shownBytes } from '../../../lib/figures.ts';
import { useOrganization } from '../../../shell/context.ts';
import { say } from '../../../ui/announcer.ts';
import { Button } from '../../../ui/Button.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { Question } from '../../../ui/Question.tsx';
import { Badge, Skeleton } from '../../../ui/States.tsx';
import { When } from '../../../ui/When.tsx';
import styles from './Import.module.css';
import { totalBytesOf } from './parts.ts';

interface Props {
  /** Resumes an upload, or takes an import that is READY. */
  readonly onTake: (one: Import) => void;
}

/** Imports of the organization that no database has begun with. */
export function OpenImports({ onTake }: Props) {
  const { id: organizationId } = useOrganization();
  const list = useQuery(importsQuery(organizationId));
  const [removing, setRemoving] = useState<Import>();
  const rows = (list.data ?? []).filter(
    ({ status }) => status === 'UPLOADING' || status === 'CHECKING' || status === 'READY',
  );
  return (
    <>
      <h3>Open imports</h3>
      <Failed read={list} />
      {list.isPending && <Skeleton lines={1} />}
      {list.isSuccess && rows.length === 0 && (
        <p className={styles.soft}>None: no upload waits to be resumed or used.</p>
      )}
      {rows.length > 0 && (
        <ul aria-label="Open imports" className={styles.list}>
          {rows.map((one) => (
            <Item key={one.id} one={one} onTake={onTake} onRemove={() => setRemoving(one)} />
          ))}
        </ul>
      )}
      <RemoveDialog one={removing} onClose={() => setRemoving(undefined)} />
    </>
  );
}

export const namesOf = ({ kind, clusterId, replicaCount }: Import): string => {
  if (kind === 'ROWS') return 'Accounts and transfers';
  const files = replicaCount === 1 ? 'One file' : `${replicaCount} files`;
  return clusterId === null ? files : `${files} of cluster ${clusterId}`;
};

interface ItemProps {
  readonly one: Import;
  readonly onTake: (one: Import) => void;
  readonly onRemove: () => void;
}

function Item({ one, onTake, onRemove }: ItemProps) {
  const isReady = one.status === 'READY';
  const uploaded = one.files.reduce((sum, { uploadedBytes }) => sum + uploadedBytes, 0);
  const verb = isReady ? 'Use' : 'Resume';
  return (
    <li className={`${styles.item} ${styles.apart}`}>
      <div>
        <div className={styles.head}>
          <strong>{namesOf(one)}</strong>
          {isReady ? (
            <Badge tone="good">ready</Badge>
          ) : one.status === 'CHECKING' ? (
            <span>its rows are tried</span>
          ) : (
            <span>{`${shownBytes(uploaded)} of ${shownBytes(totalBytesOf(one))} uploaded`}</span>
          )}
        </div>
        <p className={styles.soft}>
          <code>{one.id}</code>, begun <When at={one.createdAt} />, expires{' '}
          <When at={one.expiresAt} />
        </p>
        {one.databaseId !== null && (
          <p className={styles.soft}>
            The database <code>{one.databaseId}</code> was begun with it.
          </p>
        )}
      </div>
      <div className={styles.buttons}>
        <Button small aria-label={`${verb} ${one.id}`} onClick={() => onTake(one)}>
          {verb}
        </Button>
        <Button small look="bad" aria-label={`Delete ${one.id}`} onClick={onRemove}>
          Delete
        </Button>
      </div>
    </li>
  );
}

interface RemoveProps {
  readonly one: Import | undefined;
  readonly onClose: () => void;
}

function RemoveDialog({ one, onClose }: RemoveProps) {
  const { id: organizationId } = useOrganization();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: (importId: string) => deleteImport(organizationId, importId),
    onSuccess: () => {
      onClose();
      say('The import is deleted');
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: importsKey(organizationId) }),
  });
  return (
    <Question
      open={one !== undefined}
      onClose={onClose}
      title="Delete the import?"
      about="Uploaded parts are removed. Your own files stay as they are."
      leave="Keep it"
      make="Delete import"
      act={remove}
      onMake={() => one !== undefined && remove.mutate(one.id)}
    />
  );
}
