import { restoreWarnings } from '../../../../domain/restores/warnings.ts';
import type { CreateCatalog } from '../../../../gen/api.ts';
import { Choices } from '../../ui/Choices.tsx';
import { Checkbox } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Card } from '../../ui/Page.tsx';
import { withEngine } from '../create/draft.ts';
import { useDatabase } from '../database/use-database.ts';
import styles from './EngineCard.module.css';
import { engineChoices, type RestoreDraft } from './restore-draft.ts';

interface Props {
  readonly catalog: CreateCatalog;
  readonly draft: RestoreDraft;
  /** Whether it begins with data files, which only TigerBeetle reads. */
  readonly files: boolean;
  readonly onChange: (change: Partial<RestoreDraft>) => void;
}

/** The engine of the new database, and what the ledger loses on the way to it. */
export function EngineCard({ catalog, draft, files, onChange }: Props) {
  const { database } = useDatabase();
  const { engine, dropTimeouts } = draft;
  const { name: from } = database.engine;
  const warnings = restoreWarnings({ from, to: engine, dropTimeouts, files });
  const choices = engineChoices(catalog, files);
  if (choices.length < 2 && warnings.length === 0) return null;
  return (
    <Card title="Engine">
      <div className={form.form}>
        <Choices
          label="It runs"
          choices={choices}
          chosen={engine}
          onChoose={(id) => onChange(withEngine(catalog, draft, id))}
        />
        {engine === 'TigerBeetle' && !files && (
          <Checkbox
            label="Open pending transfers may lose their timeouts"
            hint="Without it, the restore stops before anything is made if a timeout is open."
            checked={dropTimeouts}
            onChange={(event) => onChange({ dropTimeouts: event.target.checked })}
          />
        )}
        {warnings.length > 0 && (
          <div role="status">
            <h3>{files ? 'What to know' : 'What the new database does not have'}</h3>
            <ul className={styles.warnings}>
              {warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </Card>
  );
}
