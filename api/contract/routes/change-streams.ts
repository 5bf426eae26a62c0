import { access } from '../../model/access.ts';
import { answer, empty, jsonBody, type RouteSpec } from '../route.ts';
import {
  amqpExample,
  changedChangeStream,
  changeStreamExample,
  changeStreamList,
  createChangeStreamRequest,
  createdChangeStream,
  kafkaExample,
  readChangeStream,
  resignedChangeStream,
  updateChangeStreamRequest,
} from '../schemas/change-stream.ts';
import {
  rotateWebhookSecretRequest,
  secretExample,
  shownWebhookSecret,
} from '../schemas/webhook-endpoint.ts';

const path = '/api/v1/databases/{databaseId}/change-streams';
const one = `${path}/{streamId}` as const;
const tag = 'Change streams';

export const changeStreamRoutes = {
  createChangeStream: {
    method: 'POST',
    path,
    tag,
    summary: 'Push the change events of a database to a sink',
    description:
      'Every transfer that is created and every pending transfer that expires, at least once and in the order of their timestamps. To a webhook: in requests of at most 100 events that are signed by Standard Webhooks; the next request follows when this one was answered with 2xx. A body has `data`, the events as `GET …/change-events` has them, and `after`, the timestamp of the event before them. To a broker: a message for each event, persistent and `mandatory`; the next ones follow when the broker has confirmed these. A consumer that stores the last timestamp with its own writes, and leaves out what is not above it, takes each event once. While a stream is on, transfers with the flag `imported` are refused (`cdc_enabled`): they have timestamps of the past, which it may have left behind.',
    access: access.changeStreams,
    body: jsonBody(createChangeStreamRequest, {
      now: { sink: { type: 'WEBHOOK', url: 'https://hooks.example.com/ledger' } },
      everything: {
        sink: { type: 'WEBHOOK', url: 'https://hooks.example.com/ledger' },
        after: 'beginning',
      },
      amqp: { sink: { ...amqpExample, password: 'correct horse' } },
      kafka: { sink: { ...kafkaExample, password: 'correct horse' } },
    }),
    responses: {
      201: answer(
        'The stream, with the secret that signs, if its sink takes signatures.',
        createdChangeStream,
        { success: true, changeStream: changeStreamExample, secret: secretExample },
        ['Location'],
      ),
    },
    problems: [
      'quota_exceeded',
      'database_not_ready',
      'billing_required',
      'gateway_bad_reply',
      'ledger_unavailable',
      'ledger_timeout',
    ],
    cache: 'no-store, no-transform',
  },
  listChangeStreams: {
    method: 'GET',
    path,
    tag,
    summary: 'List the change streams of a database',
    description: 'The oldest first; there are few.',
    access: access.readDatabase,
    responses: {
      200: answer('The streams.', changeStreamList, { data: [changeStreamExample] }),
    },
    problems: [],
  },
  getChangeStream: {
    method: 'GET',
    path: one,
    tag,
    summary: 'Read a change stream: its state, its position, and its last failure',
    access: access.readDatabase,
    responses: {
      200: answer('The stream.', readChangeStream, { changeStream: changeStreamExample }),
    },
    problems: [],
    conditional: 'settings',
  },
  updateChangeStream: {
    whileSuspended: true,
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change, pause or resume a change stream',
    description:
      'Absent properties stay. The stream goes on with the event after `position`, also at another URL. A request that is under way when a stream is paused is completed. While the organization is suspended, streams can only be paused.',
    access: access.changeStreams,
    body: jsonBody(updateChangeStreamRequest, {
      pause: { state: 'PAUSED' },
      move: { sink: { type: 'WEBHOOK', url: 'https://other.example.com/ledger' } },
    }),
    responses: {
      200: answer('It is changed.', changedChangeStream, {
        success: true,
        changeStream: {
          ...changeStreamExample,
          state: 'PAUSED',
          lagSeconds: null,
          lagUnknown: 'PAUSED',
        },
      }),
    },
    problems: ['organization_suspended'],
    conditional: 'match',
  },
  deleteChangeStream: {
    whileSuspended: true,
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a change stream',
    description: 'Its place is forgotten; the events stay in the ledger.',
    access: access.changeStreams,
    responses: { 204: empty('It is gone.') },
    problems: [],
  },
  showChangeStreamSecret: {
    method: 'GET',
    path: `${one}/secret`,
    tag,
    summary: 'Show the secret of a change stream',
    description: 'The audit log records who looked.',
    access: access.changeStreams,
    responses: { 200: answer('The secret.', shownWebhookSecret, { secret: secretExample }) },
    problems: ['change_stream_not_signed'],
    cache: 'no-store, no-transform',
  },
  rotateChangeStreamSecret: {
    method: 'POST',
    path: `${one}/secret/rotate`,
    tag,
    summary: 'Give a change stream another secret',
    description:
      'Until the grace is over each request carries two signatures, so that the receiver can change over. A secret that was still in its grace ends at once.',
    access: access.changeStreams,
    body: {
      ...jsonBody(rotateWebhookSecretRequest, { now: { gracePeriodSeconds: 0 } }),
      optional: true,
    },
    responses: {
      200: answer('The stream, with its new secret.', resignedChangeStream, {
        success: true,
        changeStream: changeStreamExample,
        secret: secretExample,
      }),
    },
    problems: ['change_stream_not_signed'],
    cache: 'no-store, no-transform',
  },
} as const satisfies Record<string, RouteSpec>;
