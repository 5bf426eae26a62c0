/** Events of a ledger. They have the names of TigerBeetle's own change data capture, and the integers of all answers. */
import { z } from 'zod';
import { changeEventTypes } from '../../ledger/change-event-types.ts';
import { account, rowExamples, transfer } from './ledger.ts';

const accountThen = account
  .omit({ ledger: true })
  .describe('The account, with its balances right after the event.')
  .meta({ id: 'ChangeEventAccount' });

const changeEvent = z
  .object({
    timestamp: transfer.shape.timestamp.describe(
      'When it happened: nanoseconds since 1970. Unique in the database.',
    ),
    type: z.enum(changeEventTypes),
    ledger: transfer.shape.ledger,
    transfer: transfer
      .omit({ debit_account_id: true, credit_account_id: true, ledger: true })
      .describe('The transfer; with `two_phase_expired`, the pending transfer that expired.')
      .meta({ id: 'ChangeEventTransfer' }),
    debit_account: accountThen,
    credit_account: accountThen,
  })
  .meta({ id: 'ChangeEvent' });

export const changeEventList = z
  .object({
    data: z.array(changeEvent),
    page: z.object({
      limit: z.int(),
      hasMore: z.boolean(),
      next: transfer.shape.timestamp.describe('Value of `after` for what follows.'),
    }),
  })
  .meta({ id: 'ChangeEventList' });

const {
  ledger,
  debit_account_id: _debit,
  credit_account_id: _credit,
  ...moved
} = rowExamples.transfer;
const { ledger: _ledger, ...accountExample } = rowExamples.account;

export const changeEventExample = {
  timestamp: moved.timestamp,
  type: 'single_phase' as const,
  ledger,
  transfer: moved,
  debit_account: accountExample,
  credit_account: {
    ...accountExample,
    id: '1002',
    debits_posted: '0',
    credits_posted: '10',
    timestamp: '1745328372758695657',
  },
};
