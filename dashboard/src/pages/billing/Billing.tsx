import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import type { BillingStanding } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { ifMatch } from '../../data/if-match.ts';
import { fieldErrors, isProblem } from '../../data/problem-error.ts';
import { billingQuery } from '../../data/settings-queries.ts';
import { shownMoney } from '../../lib/money.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Card, Facts, Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Progress, Skeleton } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { When } from '../../ui/When.tsx';
import { InvoicesCard } from './InvoicesCard.tsx';
import { shareOf, standings } from './standings.ts';
import { UsageCard } from './UsageCard.tsx';

export function Billing() {
  const organization = useOrganization();
  const read = useQuery(billingQuery(organization.id));
  const billing = read.data?.data.billing;
  return (
    <Page title="Billing" narrow>
      {read.isPending && <Skeleton />}
      <Failed read={read} />
      {billing?.provider === 'none' && (
        <Card>
          <p>This installation bills nobody. Databases can be made without a payment method.</p>
        </Card>
      )}
      {billing?.provider === 'stripe' && (
        <>
          <Standing billing={billing} />
          <Limit billing={billing} etag={read.data?.etag} />
          <UsageCard />
          <InvoicesCard />
          <Saved billing={billing} />
        </>
      )}
    </Page>
  );
}

function Standing({ billing }: { readonly billing: BillingStanding }) {
  const organization = useOrganization();
  const { tone, word, about } = standings[billing.status];
  const intent = useIntent();
  const checkout = useMutation({
    mutationFn: () => {
      const body = { returnUrl: location.href };
      return intent.try(body, (sending) =>
        ask(organization.id, 'post', '/api/v1/billing/checkout', { body }, sending),
      );
    },
    onSuccess: ({ data }) => location.assign(data.checkoutUrl),
  });
  const { paymentMethod, currentPeriod } = billing;
  return (
    <Card
      title="Standing"
      actions={
        <Button busy={checkout.isPending} onClick={() => checkout.mutate()}>
          {paymentMethod === null ? 'Set up payment' : 'Change payment'}
        </Button>
      }
    >
      <div className={form.form}>
        <p>
          <Badge tone={tone}>{word}</Badge> {about}
        </p>
        {checkout.isError && <Problem error={checkout.error} />}
        <Facts
          rows={[
            [
              'Payment method',
              paymentMethod === null
                ? 'none yet'
                : `${paymentMethod.brand} ending in ${paymentMethod.last4 ?? '…'}`,
            ],
            ...(currentPeriod === null
              ? []
              : [['This month so far', shownMoney(currentPeriod.accrued)] as const]),
          ]}
        />
      </div>
    </Card>
  );
}

interface LimitProps {
  readonly billing: BillingStanding;
  readonly etag: string | undefined;
}

function Limit({ billing, etag }: LimitProps) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const { spendLimit, currentPeriod } = billing;
  const currency = spendLimit?.currency ?? currentPeriod?.accrued.currency ?? 'EUR';
  const change = useMutation({
    mutationFn: (next: string | null) =>
      ask(
        organization.id,
        'patch',
        '/api/v1/billing',
        { body: { spendLimit: next === null ? null : { currency, amount: next } } },
        { headers: ifMatch(etag) },
      ),
    onSuccess: () => say('The limit is changed'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['billing', organization.id] }),
  });
  return (
    <Card title="Spend limit of a month">
      <div className={form.form}>
        <LimitForm
          key={spendLimit?.amount}
          billing={billing}
          currency={currency}
          error={fieldErrors(change.error)['spendLimit']}
          busy={change.isPending}
          onSet={(next) => change.mutate(next)}
        />
        {change.isError && <Problem error={change.error} />}
        {isProblem(change.error, 'precondition_failed') && (
          <p role="status">
            Somebody changed it meanwhile. The page has what it is now; look, and ask again.
          </p>
        )}
      </div>
    </Card>
  );
}

interface LimitFormProps {
  readonly billing: BillingStanding;
  readonly currency: string;
  readonly error: string | undefined;
  readonly busy: boolean;
  readonly onSet: (next: string | null) => void;
}

function LimitForm({ billing, currency, error, busy, onSet }: LimitFormProps) {
  const { spendLimit, currentPeriod } = billing;
  const [amount, setAmount] = useState(spendLimit?.amount ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSet(/\.\d\d$/.test(amount) ? amount : `${amount}.00`);
  };
  const share =
    spendLimit === null || currentPeriod === null
      ? undefined
      : shareOf(currentPeriod.accrued.amount, spendLimit.amount);
  return (
    <form className={form.form} onSubmit={submit}>
      {share !== undefined && spendLimit !== null && (
        <div>
          <Progress percent={Math.min(100, share)} label={`${share} percent of the limit`} />
          <p>
            {share} % of {shownMoney(spendLimit)}. Members hear of 50, 80 and 100 %.
          </p>
        </div>
      )}
      <Input
        label={`Amount in ${currency}`}
        inputMode="decimal"
        pattern="[0-9]{1,15}([.][0-9]{2})?"
        title="An amount such as 500 or 500.00"
        required
        value={amount}
        hint="When it is reached no further database can be created; none is stopped."
        error={error}
        onChange={(event) => setAmount(event.target.value)}
      />
      <div className={form.buttons}>
        <Button type="submit" look="main" busy={busy}>
          Set the limit
        </Button>
        {spendLimit !== null && (
          <Button busy={busy} onClick={() => onSet(null)}>
            Take the limit away
          </Button>
        )}
      </div>
    </form>
  );
}

const Saved = ({ billing: { savedCreates } }: { readonly billing: BillingStanding }) =>
  savedCreates.length === 0 ? null : (
    <Card title="Databases that waited for billing">
      <Table label="Saved creates" heads={['Name', 'Outcome', 'Asked for']}>
        {savedCreates.map(({ id, name, status, error, createdAt }) => (
          <tr key={id}>
            <td>{name}</td>
            <td>
              {status.toLowerCase()}
              {error !== null && <div className={table.soft}>{error.message}</div>}
            </td>
            <td className={table.keep}>
              <When at={createdAt} />
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
