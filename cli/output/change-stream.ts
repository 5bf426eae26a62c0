/** Text of change streams for people. */
import type { ChangeStream } from '../../gen/api.ts';
import { orDash } from './answer.ts';
import { fields, table } from './table.ts';

const lagOf = ({ lagSeconds }: ChangeStream): string =>
  lagSeconds === null ? '-' : `${Math.round(lagSeconds)} s`;

export const streamsText = (streams: readonly ChangeStream[]): string =>
  streams.length === 0
    ? '(no change streams)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'STATE', cell: ({ state }) => state },
          { title: 'LAG', cell: lagOf, align: 'right' },
          { title: 'EVENTS', cell: ({ deliveredEvents }) => deliveredEvents, align: 'right' },
          { title: 'POSITION', cell: ({ position }) => position },
          { title: 'SINK', cell: ({ sink }) => sink.url },
        ],
        streams,
      );

export function streamText(stream: ChangeStream): string {
  const { lastError } = stream;
  return fields([
    ['id', stream.id],
    ['database', stream.databaseId],
    ['sink', `${stream.sink.type} ${stream.sink.url}`],
    ...brokerFields(stream.sink),
    ['description', orDash(stream.description)],
    ['state', stream.state],
    ['reason', orDash(stream.stateReason)],
    ...(stream.suspended ? [['suspended', 'with all streams of the database'] as const] : []),
    ['lag', stream.lagUnknown === null ? lagOf(stream) : `not known: ${stream.lagUnknown}`],
    ['position', stream.position],
    ['started after', stream.startedAfter],
    ['events', stream.deliveredEvents],
    ['bytes sent', stream.sentBytes],
    ['last delivered', orDash(stream.lastDeliveredAt)],
    ['failing since', orDash(stream.failingSince)],
    ['next attempt', orDash(stream.nextAttemptAt)],
    [
      'last error',
      lastError === null ? '-' : `${lastError.code}: ${lastError.message} (${lastError.at})`,
    ],
    ['old secret until', orDash(stream.previousSecretUntil)],
    ['created', `${stream.createdAt} by ${stream.actor.display}`],
  ]);
}

function brokerFields(sink: ChangeStream['sink']): readonly (readonly [string, string])[] {
  if (sink.type === 'WEBHOOK') return [];
  const password = sink.passwordSet ? 'with a password' : 'without a password';
  return [
    ['user', sink.username === '' ? '-' : `${sink.username}, ${password}`],
    ...(sink.type === 'KAFKA'
      ? ([
          ['topic', sink.topic],
          ['key', sink.key],
          ['mechanism', sink.mechanism],
        ] as const)
      : ([
          ['exchange', sink.exchange === '' ? '(the default one)' : sink.exchange],
          ['routing key', orDash(sink.routingKey)],
        ] as const)),
    ['format', sink.format],
    ['authority', sink.certificateAuthority === null ? 'public' : 'of its own'],
  ];
}
