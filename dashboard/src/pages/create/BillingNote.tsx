import { Link } from '@tanstack/react-router';
import { isProblem } from '../../data/problem-error.ts';
import { useOrganization } from '../../shell/context.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import styles from './CreateDatabase.module.css';
import type { Plan } from './use-plan.ts';

const words: Readonly<Record<string, string>> = {
  NO_PAYMENT_METHOD: 'Billing is not set up yet.',
  PAYMENT_FAILED: 'The last payment failed.',
  SPEND_LIMIT_REACHED: 'The spend limit of this month is reached.',
};

interface NoteProps {
  readonly plan: Plan;
  /** What follows for the request. */
  readonly then: string;
}

/** Says that billing would refuse the request, before it is sent. */
export function BillingNote({ plan, then }: NoteProps) {
  const { slug, rights } = useOrganization();
  const billing = plan.data?.billing;
  if (billing?.ready !== false) return null;
  return (
    <p className={styles.soft}>
      {words[billing.reason ?? ''] ?? 'Billing is not ready.'} {then}{' '}
      {rights.includes('manageBilling') && (
        <Link to="/o/$slug/settings/billing" params={{ slug }} target="_blank">
          To billing, on another tab
        </Link>
      )}
    </p>
  );
}

/** A refusal; that of billing has a link to the page which mends it: on another tab, so that the form stays, unless the service keeps the request. */
export function BillingProblem({ error }: { readonly error: unknown }) {
  const billing = isProblem(error, 'billing_required') ? error.problem.billing : undefined;
  const isKept = typeof billing?.draftId === 'string';
  return (
    <>
      <Problem error={error} />
      {typeof billing?.checkoutUrl === 'string' && (
        <a
          className={buttonClass('main')}
          href={billing.checkoutUrl}
          {...(!isKept && { target: '_blank', rel: 'noreferrer' })}
        >
          {isKept
            ? 'Set billing up; the database is made afterwards'
            : 'Set billing up on another tab'}
        </a>
      )}
    </>
  );
}
