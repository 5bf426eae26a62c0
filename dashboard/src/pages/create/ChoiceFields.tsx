import type { CreateCatalog } from '../../../../gen/api.ts';
import { Choices } from '../../ui/Choices.tsx';
import { Checkbox, Input, Select, TextArea } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Card } from '../../ui/Page.tsx';
import { engineOfFiles, sizes, tiers, topologies, withEngine, type Draft } from './draft.ts';

interface Props {
  readonly catalog: CreateCatalog;
  readonly draft: Draft;
  readonly errors: Readonly<Record<string, string | undefined>>;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Choices whose errors stand beside the fields of place and shape. */
export const shapeFields = [
  'name',
  'provider',
  'region',
  'selectedStorageGb',
  'storageTier',
] as const;

/** Choices whose errors stand beside a field. */
export const choiceFields = [
  ...shapeFields,
  'engine',
  'engineVersion',
  'parameters',
  'continuousArchiving',
  'labels',
] as const;

export const ChoiceFields = (props: Props) => (
  <div className={form.form}>
    <PlaceFields {...props} />
    <Shape {...props} />
    <More {...props} />
  </div>
);

/** Name, provider and region. */
export function PlaceFields({ catalog, draft, errors, onChange }: Props) {
  const provider = catalog.providers.find(({ id }) => id === draft.provider);
  const regions = catalog.regions.filter(({ providerId }) => providerId === draft.provider);
  const chooseProvider = (id: string) => {
    const region = catalog.regions.find((one) => one.providerId === id && one.available);
    onChange({ provider: id, region: region?.id ?? '' });
  };
  return (
    <Card>
      <div className={form.form}>
        <Input
          label="Name"
          mono
          required
          autoComplete="off"
          spellCheck={false}
          maxLength={40}
          value={draft.name}
          hint="3 to 40 characters: a letter first, then letters, digits and hyphens; all lower case."
          error={errors['name']}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <div className={form.row}>
          <Select
            label="Provider"
            value={draft.provider}
            error={errors['provider']}
            onChange={(event) => chooseProvider(event.target.value)}
          >
            {catalog.providers.map(({ id, name, available }) => (
              <option key={id} value={id} disabled={!available}>
                {name}
                {available ? '' : ' (not available)'}
              </option>
            ))}
          </Select>
          <Select
            label="Region"
            value={draft.region}
            error={errors['region']}
            onChange={(event) => onChange({ region: event.target.value })}
          >
            {regions.map(({ id, name, available }) => (
              <option key={id} value={id} disabled={!available}>
                {name}
                {available ? '' : ' (not available)'}
              </option>
            ))}
          </Select>
        </div>
        {provider?.provisioning === 'MANUAL' && (
          <p>
            People make the databases of {provider.name}: the request waits for them, and you can
            follow it.
          </p>
        )}
      </div>
    </Card>
  );
}

const Shape = (props: Props) => (
  <Card title="Shape">
    <div className={form.form}>
      <EngineFields {...props} />
      <ShapeFields {...props} />
    </div>
  </Card>
);

function EngineFields({ catalog, draft, errors, onChange }: Props) {
  const engine = catalog.engines.find(({ name }) => name === draft.engine);
  return (
    <div className={form.row}>
      <Select
        label="Engine"
        value={draft.engine}
        error={errors['engine']}
        onChange={(event) => onChange(withEngine(catalog, draft, event.target.value))}
      >
        {catalog.engines.map(({ name }) => (
          <option
            key={name}
            value={name}
            disabled={draft.mode === 'import' && name !== engineOfFiles(draft.files)}
          >
            {name}
          </option>
        ))}
      </Select>
      <Select
        label="Version"
        value={draft.engineVersion}
        error={errors['engineVersion']}
        onChange={(event) => onChange({ engineVersion: event.target.value })}
      >
        <option value="">{`${engine?.defaultVersion ?? ''} (the default)`}</option>
        {engine?.versions
          .filter(({ version }) => version !== engine.defaultVersion)
          .map(({ version, deprecated }) => (
            <option key={version} value={version}>
              {version}
              {deprecated ? ' (going away)' : ''}
            </option>
          ))}
      </Select>
    </div>
  );
}

/** Topology, size and storage. */
export function ShapeFields({ catalog, draft, errors, onChange }: Props) {
  const tier = catalog.storageTiers.find(({ id }) => id === draft.storageTier);
  return (
    <>
      <Choices
        label="Topology"
        choices={topologies(catalog, draft)}
        chosen={draft.clusterConfiguration}
        onChoose={(id) => onChange({ clusterConfiguration: id, gaveWay: undefined })}
      />
      <Choices
        label="Size of each node"
        choices={sizes(catalog, draft)}
        chosen={draft.clusterSize}
        onChoose={(id) => onChange({ clusterSize: id, gaveWay: undefined })}
      />
      <Choices
        label="Storage"
        choices={tiers(catalog, draft)}
        chosen={draft.storageTier}
        onChoose={(id) => onChange({ storageTier: id })}
      />
      <div className={form.row}>
        <Input
          label="GiB of each node"
          type="number"
          inputMode="numeric"
          min={tier?.minGb}
          max={tier?.maxGb}
          step={tier?.stepGb}
          value={draft.storageGb}
          error={errors['selectedStorageGb'] ?? errors['storageTier']}
          onChange={(event) => onChange({ storageGb: event.target.value })}
        />
      </div>
    </>
  );
}

function More({ catalog, draft, errors, onChange }: Props) {
  const engine = catalog.engines.find(({ name }) => name === draft.engine);
  const isProtected = draft.protection ?? draft.clusterConfiguration !== 'single';
  return (
    <Card title="More">
      <div className={form.form}>
        {draft.engine === 'Builtin' && (
          <Input
            label="Log archived within (seconds)"
            type="number"
            inputMode="numeric"
            min={1}
            max={300}
            placeholder="not archived"
            value={draft.archiveSeconds}
            error={errors['continuousArchiving']}
            hint="With the archived log any moment can be restored. 5 is usual. Empty: only backups can be restored."
            onChange={(event) => onChange({ archiveSeconds: event.target.value })}
          />
        )}
        <Checkbox
          label="Protect it from deletion"
          hint="While it is protected, nobody can delete it. The protection can be ended at any time."
          checked={isProtected}
          onChange={(event) => onChange({ protection: event.target.checked })}
        />
        <TextArea
          label="Labels"
          mono
          rows={2}
          placeholder="team=payments"
          value={draft.labels}
          hint="One a line, at most 16. They are for finding and grouping databases."
          error={errors['labels']}
          onChange={(event) => onChange({ labels: event.target.value })}
        />
        {engine !== undefined && engine.parameters.length > 0 && (
          <details>
            <summary>Parameters of the engine</summary>
            <div className={form.row}>
              {engine.parameters.map(({ name, description, default: usual }) => (
                <Input
                  key={name}
                  label={name}
                  mono
                  placeholder={usual ?? ''}
                  value={draft.parameters[name] ?? ''}
                  hint={description}
                  onChange={(event) =>
                    onChange({ parameters: { ...draft.parameters, [name]: event.target.value } })
                  }
                />
              ))}
            </div>
            {errors['parameters'] !== undefined && <p>{errors['parameters']}</p>}
          </details>
        )}
      </div>
    </Card>
  );
}
