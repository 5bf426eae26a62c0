import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreateCatalog, CreatedDatabase } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { BillingNote, BillingProblem } from './BillingNote.tsx';
import { asCli, asCurl, asYaml } from './copies.ts';
import styles from './CreateDatabase.module.css';
import { requestOf, whenBillingRefuses, type Draft } from './draft.ts';
import { PriceLines } from './PriceLines.tsx';
import { whyNotYet, type Plan } from './use-plan.ts';

interface Props {
  readonly catalog: CreateCatalog;
  readonly draft: Draft;
  readonly plan: Plan;
  /** The error that no field shows; `null`: there is none. */
  readonly problem: unknown;
}

export function Summary({ catalog, draft, plan, problem }: Props) {
  const organization = useOrganization();
  const create = useCreate(draft, catalog.version);
  const missing = whatIsMissing(draft);
  const refused = whyNot(organization, 'createDatabase') ?? missing ?? whyNotYet(plan);
  return (
    <div className={styles.summary}>
      <Card title="Summary">
        <PriceLines plan={plan} />
        {problem !== null && <Problem error={problem} onRetry={plan.again} />}
        {create.isError && <BillingProblem error={create.error} />}
        <Button
          look="main"
          className={styles.create ?? ''}
          busy={create.isPending}
          disabledReason={refused}
          onClick={() => create.mutate()}
        >
          Create database
        </Button>
        {missing !== undefined && <p className={styles.soft}>{missing}</p>}
        <BillingNote plan={plan} then={whenBillingRefuses(draft)} />
      </Card>
      {(draft.mode === 'new' || draft.files !== undefined) && <Copies draft={draft} />}
    </div>
  );
}

const ways = [
  ['cli', 'Command line'],
  ['curl', 'curl'],
  ['yaml', 'Kubernetes'],
] as const;
type Way = (typeof ways)[number][0];

/** The same request as a command, for curl, or as a resource. */
function Copies({ draft }: { readonly draft: Draft }) {
  const organization = useOrganization();
  const [wanted, setWanted] = useState<Way>('cli');
  // The service would not know that a resource uses the import, and the command line uploads files itself.
  const offered = ways.filter(([way]) => way === 'curl' || draft.mode === 'new');
  const as = offered.some(([way]) => way === wanted) ? wanted : 'curl';
  const request = requestOf({ ...draft, name: draft.name || 'NAME' }, undefined);
  const copies = {
    cli: asCli(request),
    curl: asCurl(location.origin, request),
    yaml: asYaml(request, organization.namespace),
  };
  return (
    <Card title="The same by">
      <Tabs label="Ways to ask for the same" tabs={offered} chosen={as} onChoose={setWanted}>
        <Code text={copies[as]} what={as === 'yaml' ? 'the resource' : 'the command'} />
      </Tabs>
    </Card>
  );
}

function whatIsMissing({ name, mode, files }: Draft): string | undefined {
  if (mode === 'import' && files === undefined) return 'Upload the files first.';
  return name === '' ? 'Give the database a name.' : undefined;
}

function useCreate(draft: Draft, catalogVersion: string) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const intent = useIntent();
  return useMutation({
    mutationFn: async () => {
      const body = requestOf(draft, catalogVersion);
      const { data } = await intent.try(body, (sending) =>
        ask(organization.id, 'post', '/api/v1/databases', { body }, sending),
      );
      return data as unknown as CreatedDatabase;
    },
    onSuccess: async ({ provisioning, database: { name } }) => {
      say(provisioning.message);
      void queryClient.invalidateQueries({ queryKey: ['databases', organization.id] });
      const { slug } = organization;
      await navigate({ to: '/o/$slug/databases/$name', params: { slug, name } });
    },
  });
}
