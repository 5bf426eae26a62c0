import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreateCatalog, CreatedDatabase } from '../../../../gen/api.ts';
import { ask, intentKey } from '../../data/client.ts';
import { isProblem } from '../../data/problem-error.ts';
import { shownMoney } from '../../lib/money.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Card, Facts } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { asCli, asCurl, asYaml } from './copies.ts';
import styles from './CreateDatabase.module.css';
import { requestOf, type Draft } from './draft.ts';
import type { Plan } from './use-plan.ts';

interface Props {
  readonly catalog: CreateCatalog;
  readonly draft: Draft;
  readonly plan: Plan;
  readonly hasFieldErrors: boolean;
}

export function Summary({ catalog, draft, plan, hasFieldErrors }: Props) {
  const organization = useOrganization();
  const create = useCreate(draft, catalog.version);
  const [as, setAs] = useState<'cli' | 'curl' | 'yaml'>('cli');
  const request = requestOf({ ...draft, name: draft.name || 'NAME' }, undefined);
  const copies = {
    cli: asCli(request),
    curl: asCurl(location.origin, request),
    yaml: asYaml(request, organization.namespace),
  };
  const missing = draft.name === '' ? 'Give the database a name.' : undefined;
  const wrong = plan.error === null ? undefined : 'Mend what is wrong first.';
  const refused = whyNot(organization, 'createDatabase') ?? missing ?? wrong;
  return (
    <div className={styles.summary}>
      <Card title="Summary">
        <PriceLines plan={plan} />
        {plan.error !== null && !hasFieldErrors && <Problem error={plan.error} />}
        {create.isError && <CreateProblem error={create.error} />}
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
        {plan.data?.billing.ready === false && (
          <p className={styles.soft}>
            Billing is not set up yet. The draft is kept, and made once it is.
          </p>
        )}
      </Card>
      <Card title="The same by">
        <Tabs
          label="Ways to ask for the same"
          tabs={[
            ['cli', 'Command line'],
            ['curl', 'curl'],
            ['yaml', 'Kubernetes'],
          ]}
          chosen={as}
          onChoose={setAs}
        >
          <Code text={copies[as]} what={as === 'yaml' ? 'the resource' : 'the command'} />
        </Tabs>
      </Card>
    </div>
  );
}

function useCreate(draft: Draft, catalogVersion: string) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [intent] = useState(intentKey);
  return useMutation({
    mutationFn: async () => {
      // The key goes with the choices: other choices are another intent.
      const body = requestOf(draft, catalogVersion);
      const key = `${intent}-${hashOf(JSON.stringify(body))}`;
      const { data } = await ask(
        organization.id,
        'post',
        '/api/v1/databases',
        { body },
        { headers: { 'Idempotency-Key': key } },
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

/** FNV-1a: tells drafts of one page apart, and nothing more. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash.toString(16);
}

function PriceLines({ plan }: { readonly plan: Plan }) {
  const price = plan.data?.plan.estimatedMonthlyPrice;
  const nodes = plan.data?.plan.nodeCount;
  return (
    <div aria-live="polite" aria-busy={plan.isFetching} className={styles.price}>
      <p>
        <span className={styles.amount}>
          {price === undefined ? '…' : price === null ? 'No price' : shownMoney(price)}
        </span>{' '}
        {price !== undefined && price !== null && <span className={styles.soft}>a month</span>}
      </p>
      {price === null && (
        <p className={styles.soft}>The catalog of this installation has no prices for it.</p>
      )}
      {price !== undefined && price !== null && (
        <Facts
          rows={price.lines.map(
            ({ item, amount }) => [item, shownMoney({ currency: price.currency, amount })] as const,
          )}
        />
      )}
      {nodes !== undefined && (
        <p className={styles.soft}>{nodes === 1 ? 'One node' : `${nodes} nodes`}</p>
      )}
    </div>
  );
}

function CreateProblem({ error }: { readonly error: unknown }) {
  const checkoutUrl = isProblem(error, 'billing_required')
    ? error.problem.billing?.checkoutUrl
    : undefined;
  return (
    <>
      <Problem error={error} />
      {typeof checkoutUrl === 'string' && (
        <a className={buttonClass('main')} href={checkoutUrl}>
          Set billing up; the database is made afterwards
        </a>
      )}
    </>
  );
}
