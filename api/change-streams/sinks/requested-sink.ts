/** The sink that a request asks for, checked before it is stored. Names are resolved, and their addresses checked, at every connection. */
import type { z } from 'zod';
import type { createChangeStreamRequest } from '../../contract/schemas/change-stream.ts';
import type { ChangeStream, Sink } from '../../model/change-stream.ts';
import { Refusal } from '../../model/refusal.ts';
import { AddressGuard } from '../../webhooks/addresses.ts';
import { checkUrl, faultOfHost, firstFreePort, hostOf } from '../../webhooks/endpoint-url.ts';
import { amqpAddress } from './amqp-address.ts';
import { faultOfKafka } from './kafka-address.ts';

export type RequestedSink = z.output<typeof createChangeStreamRequest>['sink'];

interface CheckedSink {
  readonly sink: Sink;
  /** `undefined`: the one that is stored stays. */
  readonly password: string | undefined;
}

/** Throws a refusal if nothing can be sent there. `ranges`: further allowed addresses that are not public. */
export function checkedSink(requested: RequestedSink, ranges: readonly string[]): CheckedSink {
  if (requested.type === 'WEBHOOK') {
    checkUrl(requested.url, ranges, '#/sink/url');
    return { sink: requested, password: undefined };
  }
  const { password, ...sink } = requested;
  const guard = new AddressGuard(ranges);
  const fault = sink.type === 'AMQP' ? faultOfAmqp : faultOfKafka;
  refuse('url', fault(sink.url, guard, ranges.length > 0));
  if (sink.username === '' && password !== undefined) refuse('username', 'is missing');
  return { sink, password };
}

/**
 * Throws a refusal if the sink cannot take the place of the one that the stream has. The stored password goes to the same user at the
 * same address only: a person who may change a stream may not know it.
 */
export function refuseOtherSink({ sink: before }: ChangeStream, after: CheckedSink): void {
  const { sink, password } = after;
  if (sink.type !== before.type) {
    refuse(
      'type',
      `is ${before.type} for good. Make another stream instead, with \`after\` set to the position of this one`,
    );
  }
  if (sink.type === 'WEBHOOK' || before.type === 'WEBHOOK' || password !== undefined) return;
  const isSame = sink.username === before.username && addressOf(sink) === addressOf(before);
  if (!isSame && sink.username !== '')
    refuse('password', 'must be given again for another address or user');
}

/** Throws a refusal if a new stream lacks the password of its sink. */
export function requirePassword({ sink, password }: CheckedSink): void {
  if (sink.type !== 'WEBHOOK' && sink.username !== '' && password === undefined)
    refuse('password', 'is missing');
}

function refuse(field: string, fault: string | undefined): void {
  if (fault === undefined) return;
  throw new Refusal('validation_failed', {
    detail: `\`sink.${field}\` ${fault}.`,
    errors: [{ pointer: `#/sink/${field}`, code: 'invalid_value', detail: fault }],
  });
}

/** To whom a password is shown. */
const addressOf = ({ type, url }: Sink): string =>
  type === 'AMQP' ? JSON.stringify(amqpAddress(new URL(url))) : url;

function faultOfAmqp(text: string, guard: AddressGuard, plain: boolean): string | undefined {
  const url = new URL(text);
  if (url.protocol !== 'amqps:' && !plain) return 'must be amqps';
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password: `username` and `password` are for them';
  }
  if (url.hash !== '' || url.search !== '') return 'must have neither query nor fragment';
  if (url.port !== '' && Number(url.port) < firstFreePort && url.port !== '443') {
    return `must have the port 443, or one from ${firstFreePort} on`;
  }
  if (!/^(\/[^/]*)?$/.test(url.pathname) || !isUriText(url.pathname)) {
    return 'must have one virtual host as its path; write a slash within it as %2F, and a percent sign as %25';
  }
  return faultOfHost(hostOf(url), guard);
}

/** Whether each percent sign begins a byte of UTF-8. */
function isUriText(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
