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

interface ProblemProps {
  readonly error: unknown;
  /** Words of the link to the page on which a person sets billing up. */
  readonly checkout: string;
  /** Opens that page on another tab, so that the form stays. */
  readonly elsewhere?: boolean;
}

/** A refusal; that of billing has a link to the page which mends it. */
export function BillingProblem({ error, checkout, elsewhere = false }: ProblemProps) {
  const checkoutUrl = isProblem(error, 'billing_required')
    ? error.problem.billing?.checkoutUrl
    : undefined;
  return (
    <>
      <Problem error={error} />
      {typeof checkoutUrl === 'string' && (
        <a
          className={buttonClass('main')}
          href={checkoutUrl}
          {...(elsewhere && { target: '_blank', rel: 'noreferrer' })}
        >
          {checkout}
        </a>
      )}
    </>
  );
}
