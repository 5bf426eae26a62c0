/**
 * Stripe for tests: every request goes through stripe-mock, which judges it by Stripe's own description of its API and gives the
 * shape of the answer. stripe-mock remembers nothing, so what stands before it does: customers, checkouts, subscriptions, and
 * answers to idempotency keys. It can also be away, or slow, or break off an answer.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { ensureProgram } from '../../../tools/cluster/binaries.ts';
import { eventually } from '../shell.ts';

export const stripeKey = 'sk_test_0123456789';
export const webhookSecret = 'whsec_0123456789';

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | undefined;
  readonly status: number;
}

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly body: string;
  readonly key: string | undefined;
}

type Json = Record<string, unknown>;
type Trouble = 'none' | 'away' | 'hangs' | 'loses the answer';

const day = 24 * 60 * 60;

export class TestStripe {
  readonly recorded: Recorded[] = [];
  readonly checkouts = new Map<string, Json>();
  readonly customers = new Map<string, Json>();
  readonly subscriptions = new Map<string, Json>();
  /** Invoices by customer, the newest first. */
  readonly invoices = new Map<string, readonly Json[]>();
  /** Meter events by identifier: the usage that is charged. */
  readonly charged = new Map<string, number>();
  /** When payment methods were made, in seconds. */
  readonly #cardsMade = new Map<string, number>();
  readonly #answers = new Map<string, string>();
  /** Requests with a key that are not answered yet: the same one at the same time is refused. */
  readonly #underWay = new Set<string>();
  readonly #mock: ChildProcess;
  readonly #mockUrl: string;
  readonly #server: Server;
  #made = 0;
  trouble: Trouble = 'none';
  /** Whether meter events are refused, as if the meter did not exist. */
  refusesUsage = false;

  private constructor(mock: ChildProcess, mockUrl: string) {
    this.#mock = mock;
    this.#mockUrl = mockUrl;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<TestStripe> {
    const program = await ensureProgram('stripe-mock');
    // It serves HTTPS too, on a port that only one at a time could have.
    const mock = spawn(program, ['-http-addr', '127.0.0.1:0', '-https-addr', '127.0.0.1:0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    mock.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const port = await eventually('stripe-mock listens', async () => {
      if (mock.exitCode !== null) throw new Error(`stripe-mock ended: ${said}`);
      return /Listening for HTTP at address: 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    });
    const stripe = new TestStripe(mock, `http://127.0.0.1:${port}`);
    stripe.#server.listen(0, '127.0.0.1');
    await once(stripe.#server, 'listening');
    return stripe;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    const ended = once(this.#mock, 'exit');
    this.#mock.kill('SIGTERM');
    await ended;
  }

  /** Plays the person in the checkout, some seconds ago. */
  complete(checkoutId: string, paymentMethod = 'pm_1', secondsAgo = 0): void {
    const checkout = this.checkouts.get(checkoutId);
    if (checkout === undefined) throw new Error(`there is no checkout ${checkoutId}`);
    const created = Math.floor(Date.now() / 1_000) - secondsAgo;
    this.#cardsMade.set(paymentMethod, created);
    this.checkouts.set(checkoutId, {
      ...checkout,
      status: 'complete',
      url: null,
      setup_intent: {
        id: 'seti_1',
        object: 'setup_intent',
        payment_method: {
          id: paymentMethod,
          object: 'payment_method',
          created,
        },
      },
    });
  }

  /** Plays the person who chooses a card on Stripe's own page; it was added some seconds ago. */
  choose(customerId: string, paymentMethod: string, secondsAgo = 0): void {
    this.#cardsMade.set(paymentMethod, Math.floor(Date.now() / 1_000) - secondsAgo);
    this.customers.set(customerId, { ...this.customers.get(customerId), paymentMethod });
  }

  setSubscription(id: string, status: Stripe.Subscription.Status): void {
    this.subscriptions.set(id, { ...this.subscriptions.get(id), status });
  }

  asked(method: string, path: string): readonly Recorded[] {
    return this.recorded.filter((one) => one.method === method && one.path === path);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (this.trouble === 'away') {
      request.socket.destroy();
      return;
    }
    if (this.trouble === 'hangs') return;
    const { method = 'GET', url = '/' } = request;
    const key = request.headers['idempotency-key']?.toString();
    const path = url.split('?')[0] ?? '';
    const once = `${path} ${key ?? ''}`;
    if (this.#underWay.has(once)) {
      response.writeHead(409, { 'content-type': 'application/json' }).end(inUse);
      return;
    }
    if (key !== undefined) this.#underWay.add(once);
    try {
      await this.#judge(request, response, { method, url, path, body, key });
    } finally {
      this.#underWay.delete(once);
    }
  }

  async #judge(
    request: IncomingMessage,
    response: ServerResponse,
    { method, url, path, body, key }: Sent,
  ): Promise<void> {
    const known = key === undefined ? undefined : this.#answers.get(`${path} ${key}`);
    const judged = await fetch(`${this.#mockUrl}${url}`, {
      method,
      headers: {
        authorization: request.headers.authorization ?? '',
        'content-type': request.headers['content-type'] ?? 'application/x-www-form-urlencoded',
        'stripe-version': request.headers['stripe-version']?.toString() ?? '',
      },
      ...(method === 'POST' && { body }),
    });
    const form = Object.fromEntries(new URLSearchParams(body));
    const shape = (await judged.json()) as Json;
    const answer =
      judged.ok && known === undefined ? this.#remember(method, url, form, shape) : shape;
    const status = 'error' in answer ? (judged.ok ? 400 : judged.status) : 200;
    const text = known ?? JSON.stringify(answer);
    this.recorded.push({ method, path, form, idempotencyKey: key, status });
    if (key !== undefined && status === 200) this.#answers.set(`${path} ${key}`, text);
    if (this.trouble === 'loses the answer') {
      request.socket.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  }

  #remember(
    method: string,
    url: string,
    form: Readonly<Record<string, string>>,
    shape: Json,
  ): Json {
    const { pathname: path, searchParams } = new URL(url, this.#mockUrl);
    const [, , resource = '', ...rest] = path.split('/');
    const makes = method === 'POST' && rest.length === 0;
    const id = rest.at(0) ?? '';
    if (resource === 'customers') {
      if (makes) return this.#keep(this.customers, 'cus', { ...shape, paymentMethod: null });
      const chosen = form['invoice_settings[default_payment_method]'];
      return this.#customer(id, shape, chosen);
    }
    if (resource === 'checkout') return this.#checkout(method, rest.at(1), form, shape);
    if (resource === 'subscriptions') {
      if (makes) {
        return this.#keep(this.subscriptions, 'sub', { ...shape, status: 'active' });
      }
      if (method === 'DELETE') this.setSubscription(id, 'canceled');
      return { ...shape, ...this.subscriptions.get(id) };
    }
    if (resource === 'billing') return this.#meter(form, shape);
    if (resource === 'invoices' && method === 'GET') return this.#listInvoices(searchParams, shape);
    return shape;
  }

  #keep(all: Map<string, Json>, prefix: string, object: Json): Json {
    this.#made += 1;
    const id = `${prefix}_${this.#made}`;
    all.set(id, { ...object, id });
    return { ...object, id };
  }

  #customer(id: string, shape: Json, chosen: string | undefined): Json {
    const known = this.customers.get(id);
    if (known === undefined) return missing(`No such customer: '${id}'`);
    if (chosen !== undefined) this.customers.set(id, { ...known, paymentMethod: chosen });
    const has = chosen ?? known['paymentMethod'];
    const settings = shape['invoice_settings'] as Json;
    const method = settings['default_payment_method'];
    return {
      ...shape,
      id,
      // Expanded it is an object, which stripe-mock always has.
      invoice_settings: {
        ...settings,
        default_payment_method:
          typeof has === 'string' && typeof method === 'object'
            ? { ...method, id: has, created: this.#cardsMade.get(has) ?? 0 }
            : null,
      },
    };
  }

  #checkout(
    method: string,
    id: string | undefined,
    form: Readonly<Record<string, string>>,
    shape: Json,
  ): Json {
    if (method === 'POST') {
      const made = this.#keep(this.checkouts, 'cs_test', {
        ...shape,
        status: 'open',
        expires_at: Math.floor(Date.now() / 1_000) + day,
        setup_intent: null,
        customer: form['customer'],
      });
      const withUrl = { ...made, url: `https://checkout.stripe.com/c/pay/${String(made['id'])}` };
      this.checkouts.set(String(made['id']), withUrl);
      return withUrl;
    }
    return this.checkouts.get(id ?? '') ?? missing(`No such checkout.session: ${id ?? ''}`);
  }

  #listInvoices(asked: URLSearchParams, shape: Json): Json {
    const own = this.invoices.get(asked.get('customer') ?? '');
    if (own === undefined) return shape;
    const [example] = shape['data'] as readonly Json[];
    const after = own.findIndex(({ id }) => id === asked.get('starting_after'));
    const from = after + 1;
    const limit = Number(asked.get('limit'));
    const data = own.slice(from, from + limit).map((one) => ({ ...example, ...one }));
    return { ...shape, data, has_more: own.length > from + limit };
  }

  #meter(form: Readonly<Record<string, string>>, shape: Json): Json {
    if (this.refusesUsage) {
      return { error: { type: 'invalid_request_error', message: 'No such meter' } };
    }
    const identifier = form['identifier'] ?? '';
    if (this.charged.has(identifier)) {
      const message = `An event already exists with identifier ${identifier}.`;
      return { error: { type: 'invalid_request_error', message } };
    }
    this.charged.set(identifier, Number(form['payload[value]']));
    return shape;
  }
}

const inUse = JSON.stringify({
  error: { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'In use.' },
});

const missing = (message: string): Json => ({
  error: { type: 'invalid_request_error', code: 'resource_missing', message },
});

const library = new Stripe(stripeKey);

/** As Stripe would send it, signed by its own library. */
export function signedEvent(
  { id, type, object }: { id: string; type: string; object: Json },
  { secret = webhookSecret, secondsAgo = 0 }: { secret?: string; secondsAgo?: number } = {},
): { readonly payload: string; readonly signature: string } {
  const timestamp = Math.floor(Date.now() / 1_000) - secondsAgo;
  const payload = JSON.stringify({
    id,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: timestamp,
    livemode: false,
    type,
    data: { object },
  });
  const signature = library.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return { payload, signature };
}
