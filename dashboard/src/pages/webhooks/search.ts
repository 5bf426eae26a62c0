/** The filters of deliveries, kept in the address. */
import { given, textOf, wordOf } from '../../lib/search.ts';

export const deliveryStatuses = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;

export const readDeliverySearch = (search: Record<string, unknown>) =>
  given({
    endpointId: /^whe_\w{26}$/.test(String(search['endpointId']))
      ? textOf(search['endpointId'])
      : undefined,
    eventType: textOf(search['eventType'], 64),
    status: wordOf(search['status'], deliveryStatuses),
  });

export type DeliverySearch = ReturnType<typeof readDeliverySearch>;
