import { useState } from 'react';
import { said } from '../../lib/said.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import styles from './DatabaseFrame.module.css';
import { labelPatch, linesOf } from './label-patch.ts';
import { useDatabase } from './use-database.ts';
import type { Seen } from './use-matching.ts';
import { useUpdate } from './use-update.ts';

export function Labels() {
  const organization = useOrganization();
  const { database, etag } = useDatabase();
  const [editing, setEditing] = useState<{ readonly text: string; readonly seen: Seen }>();
  const update = useUpdate();
  const labels = Object.entries(database.labels);
  const save = () => {
    if (editing === undefined) return;
    const { text, seen } = editing;
    update.mutate(
      { labels: labelPatch(seen.database.labels, text), seen },
      {
        onSuccess: () => {
          setEditing(undefined);
          say('The labels are changed');
        },
      },
    );
  };
  return (
    <Card
      title="Labels"
      actions={
        <Button
          small
          disabledReason={whyNot(organization, 'changeDatabase')}
          onClick={() => {
            update.reset();
            setEditing({ text: linesOf(database.labels), seen: { database, etag } });
          }}
        >
          Change
        </Button>
      }
    >
      {labels.length === 0 ? (
        <p className={styles.soft}>None. Labels are for finding and grouping databases.</p>
      ) : (
        <ul className={styles.labels}>
          {labels.map(([key, value]) => (
            <li key={key} className={styles.label}>
              {value === '' ? key : `${key}=${said(value)}`}
            </li>
          ))}
        </ul>
      )}
      <Dialog open={editing !== undefined} onClose={() => setEditing(undefined)} title="Labels">
        <TextArea
          label="One a line, at most 16"
          mono
          rows={6}
          value={editing?.text ?? ''}
          onChange={(event) => editing && setEditing({ ...editing, text: event.target.value })}
        />
        {editing !== undefined &&
          linesOf(editing.seen.database.labels) !== linesOf(database.labels) && (
            <div role="status">
              <p>Somebody changed the labels meanwhile. They are now:</p>
              <Code text={linesOf(database.labels) || 'none'} what="the labels of now" />
            </div>
          )}
        {update.isError && <Problem error={update.error} />}
        <DialogButtons>
          <Button onClick={() => setEditing(undefined)}>Leave them</Button>
          <Button look="main" busy={update.isPending} onClick={save}>
            Save labels
          </Button>
        </DialogButtons>
      </Dialog>
    </Card>
  );
}
