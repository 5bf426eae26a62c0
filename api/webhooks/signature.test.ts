import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from './signature.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const body = '{"type":"database.ready","data":{"name":"zahlungen – münchen"}}';
const message = () => ({ id: 'evt_1', at: new Date(), body });

test('the library of Standard Webhooks verifies what is sent', () => {
  const secret = newSecret();
  const headers = signatureHeaders(message(), [secret]);
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});

test('the example of the specification has the signature that stands there', () => {
  const headers = signatureHeaders(
    {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      at: new Date(1_614_265_330_000),
      body: '{"test": 2432232314}',
    },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  );
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('during a rotation both secrets verify, and no other', () => {
  const [old, next] = [newSecret(), newSecret()];
  const headers = signatureHeaders(message(), [next, old]);
  for (const secret of [old, next]) new Webhook(secret).verify(body, headers);
  expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow('No matching signature');
});

test('a changed body does not verify', () => {
  const secret = newSecret();
  const headers = signatureHeaders(message(), [secret]);
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature');
});
