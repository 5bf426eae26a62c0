/** The filters of deliveries, kept in the address. */
import { given, textOf, wordOf } from '../../lib/search.ts';

export const deliveryStatuses = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;

/** The ID of a delivery or of an event. */
export const idOf = (value: unknown): string | undefined =>
  /^(dlv|evt)_\w{26}$/.test(String(value)) ? String(value) : undefined;

/** `from` and `to`: times that a person typed. */
export const readDeliverySearch = (search: Record<string, unknown>) =>
  given({
    endpointId: /^whe_\w{26}$/.test(String(search['endpointId']))
      ? textOf(search['endpointId'])
      : undefined,
    answer: /^(none|[1-9]xx|[1-9]\d\d)$/.test(String(search['answer']))
      ? textOf(search['answer'])
      : undefined,
    id: idOf(search['id']),
    from: textOf(search['from'], 40),
    to: textOf(search['to'], 40),
    eventType: textOf(search['eventType'], 64),
    status: wordOf(search['status'], deliveryStatuses),
  });

export type DeliverySearch = ReturnType<typeof readDeliverySearch>;
