/** What the service is asked for. */
import type { DeliveryFilter } from '../../data/webhook-queries.ts';
import { given } from '../../lib/search.ts';
import { timeOf } from '../logs/search.ts';
import type { DeliverySearch } from './search.ts';

/** Text that is no time bounds nothing. */
export const filterOf = ({ id, from, to, ...rest }: DeliverySearch, now: Date): DeliveryFilter => ({
  ...rest,
  ...(id !== undefined && (id.startsWith('dlv') ? { deliveryId: id } : { eventId: id })),
  ...given({ createdAfter: timeOf(from, now), createdBefore: timeOf(to, now) }),
});

/** Answers that are common; the address may have another one. */
export const answers = [
  ['none', 'No answer'],
  ['2xx', '2xx'],
  ['3xx', '3xx'],
  ['4xx', '4xx'],
  ['5xx', '5xx'],
  ...[
    '400',
    '401',
    '403',
    '404',
    '408',
    '410',
    '413',
    '422',
    '429',
    '500',
    '502',
    '503',
    '504',
  ].map((code) => [code, code] as const),
] as const;
