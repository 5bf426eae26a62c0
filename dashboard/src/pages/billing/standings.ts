/** The standing of an organization in words, and its consequences. */
import type { BillingStanding } from '../../../../gen/api.ts';
import type { Tone } from '../../ui/States.tsx';

interface Words {
  readonly tone: Tone;
  readonly word: string;
  readonly about: string;
}

export const standings: Readonly<Record<BillingStanding['status'], Words>> = {
  READY: { tone: 'good', word: 'Ready', about: 'Databases can be made.' },
  SETUP_REQUIRED: {
    tone: 'warn',
    word: 'Not set up',
    about: 'Databases can be made once there is a payment method; drafts wait for it.',
  },
  PAST_DUE: {
    tone: 'warn',
    word: 'Past due',
    about: 'A payment failed and is tried again. Databases go on; change the payment method.',
  },
  SUSPENDED: {
    tone: 'bad',
    word: 'Suspended',
    about: 'Payments failed for good. The databases stand still with all their data.',
  },
};

/** Percent of a limit, rounded down. Decimals with two places are exact. */
export function shareOf(amount: string, limit: string): number {
  const cents = (text: string) => BigInt(text.replace('.', ''));
  const most = cents(limit);
  return most === 0n ? 100 : Number((cents(amount) * 100n) / most);
}
