import type { Configuration, CreateCatalog, Parameter } from '../../../../gen/api.ts';
import { Choices } from '../../ui/Choices.tsx';
import { Input, Select } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Card } from '../../ui/Page.tsx';
import { sizes, topologies } from '../create/draft.ts';
import styles from '../database/DatabaseFrame.module.css';
import type { ConfigurationDraft } from './draft.ts';

const names = ['single', 'ha-3', 'ha-6'] as const;

interface Props {
  readonly catalog: CreateCatalog;
  readonly configuration: Configuration;
  readonly parameters: readonly Parameter[];
  readonly draft: ConfigurationDraft;
  readonly onChange: (change: Partial<ConfigurationDraft>) => void;
}

export function Fields({ catalog, configuration, parameters, draft, onChange }: Props) {
  const versions = versionsFor(catalog, configuration);
  /** The new replicas begin with a backup, which other engines do not have. */
  const isReshapable = configuration.engine === 'Builtin';
  return (
    <>
      <Card title="Cluster">
        <div className={form.form}>
          <p>
            {configuration.clusterConfiguration} in {configuration.provider}, {configuration.region}
            . {isReshapable ? 'The place cannot change' : 'Topology and place cannot change'}:
            restore a backup into a new database for that.
          </p>
          {isReshapable && (
            <>
              <Choices
                label="Topology"
                choices={topologies(catalog, { engine: configuration.engine, files: undefined })}
                chosen={draft.clusterConfiguration}
                onChoose={(id) => {
                  const topology = names.find((name) => name === id);
                  if (topology !== undefined) onChange({ clusterConfiguration: topology });
                }}
              />
              <p className={styles.soft}>
                Another topology is a change of its own, with an interruption of minutes: the
                database goes on from a last backup, and native clients connect again.
              </p>
            </>
          )}
          <Choices
            label="Size of each node"
            choices={sizes(catalog, configuration)}
            chosen={draft.clusterSize}
            onChoose={(clusterSize) => onChange({ clusterSize })}
          />
          <div className={form.row}>
            <Input
              label="GiB of each node"
              type="number"
              inputMode="numeric"
              min={configuration.selectedStorageGb}
              value={draft.storageGb}
              hint="Storage only grows."
              onChange={(event) => onChange({ storageGb: event.target.value })}
            />
            <Input
              label="Grows by itself up to (GiB)"
              type="number"
              inputMode="numeric"
              value={draft.autogrowGb}
              hint="Empty: it does not grow by itself."
              onChange={(event) => onChange({ autogrowGb: event.target.value })}
            />
          </div>
          <Select
            label={`Version of ${configuration.engine}`}
            value={draft.engineVersion}
            onChange={(event) => onChange({ engineVersion: event.target.value })}
          >
            {versions.map(({ version, availableFrom }) => (
              <option key={version} value={version} disabled={isAhead(availableFrom)}>
                {version}
                {isAhead(availableFrom) && `, from ${availableFrom?.slice(0, 10)} on`}
              </option>
            ))}
          </Select>
        </div>
      </Card>
      {configuration.engine === 'Builtin' && (
        <Card title="Continuous archiving">
          <div className={form.form}>
            <Input
              label="Each operation in the store within (seconds)"
              type="number"
              inputMode="numeric"
              min={1}
              max={300}
              placeholder="not archived"
              value={draft.archiveSeconds}
              hint="With the archived log any moment can be restored. 5 is usual. Empty: only backups can be restored."
              onChange={(event) => onChange({ archiveSeconds: event.target.value })}
            />
          </div>
        </Card>
      )}
      {parameters.length > 0 && (
        <Card title="Parameters">
          <div className={form.form}>
            {parameters.map((one) => (
              <Input
                key={one.name}
                label={one.name}
                mono
                disabled={one.immutable}
                placeholder={one.defaultValue ?? 'by its size'}
                value={draft.parameters[one.name] ?? ''}
                hint={`${one.description}${boundsOf(one)}${one.restartRequired ? ' Pods are replaced, one at a time.' : ''}`}
                onChange={(event) =>
                  onChange({ parameters: { ...draft.parameters, [one.name]: event.target.value } })
                }
              />
            ))}
          </div>
        </Card>
      )}
    </>
  );
}

type Version = Pick<
  CreateCatalog['engines'][number]['versions'][number],
  'version' | 'availableFrom'
>;

/** The version that it has, and those to which it can be upgraded, now or later. */
function versionsFor(
  { engines }: CreateCatalog,
  { engine, engineVersion }: Configuration,
): readonly Version[] {
  const all = engines.find(({ name }) => name === engine)?.versions ?? [];
  const reached = all.filter(
    ({ version, upgradableFrom }) =>
      version !== engineVersion && upgradableFrom.includes(engineVersion),
  );
  return [{ version: engineVersion, availableFrom: null }, ...reached];
}

const isAhead = (availableFrom: string | null): boolean =>
  availableFrom !== null && Date.parse(availableFrom) > Date.now();

const boundsOf = ({ type, min, max }: Parameter): string =>
  type === 'integer' && min !== null && max !== null ? ` From ${min} to ${max}.` : '';
