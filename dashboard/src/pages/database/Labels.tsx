import { useState } from 'react';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { labelsOf } from '../create/draft.ts';
import styles from './DatabaseFrame.module.css';
import { useDatabase } from './use-database.ts';
import { useUpdate } from './use-update.ts';

export function Labels() {
  const organization = useOrganization();
  const { database } = useDatabase();
  const [text, setText] = useState<string>();
  const update = useUpdate();
  const labels = Object.entries(database.labels);
  const save = () => {
    const next = labelsOf(text ?? '');
    const gone = labels.filter(([key]) => !(key in next)).map(([key]) => [key, null] as const);
    update.mutate(
      { labels: { ...Object.fromEntries(gone), ...next } },
      {
        onSuccess: () => {
          setText(undefined);
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
          onClick={() => setText(labels.map(([key, value]) => `${key}=${value}`).join('\n'))}
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
              {value === '' ? key : `${key}=${value}`}
            </li>
          ))}
        </ul>
      )}
      <Dialog open={text !== undefined} onClose={() => setText(undefined)} title="Labels">
        <TextArea
          label="One a line, at most 16"
          mono
          rows={6}
          value={text ?? ''}
          onChange={(event) => setText(event.target.value)}
        />
        {update.isError && <Problem error={update.error} />}
        <DialogButtons>
          <Button onClick={() => setText(undefined)}>Leave them</Button>
          <Button look="main" busy={update.isPending} onClick={save}>
            Save labels
          </Button>
        </DialogButtons>
      </Dialog>
    </Card>
  );
}
