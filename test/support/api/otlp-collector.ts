/**
 * A collector of traces over HTTP, which judges every request by what OTLP 1 demands of its JSON form (opentelemetry-proto,
 * `trace.proto` and `docs/specification.md`): names of fields, hexadecimal IDs, 64-bit numbers as decimal text.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../shell.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly failed: boolean;
  readonly resource: Readonly<Record<string, string | number>>;
}

type Answer = (response: ServerResponse) => void;

const accepted: Answer = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"partialSuccess":{}}');
};

export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  /** Everything that was sent, as text. */
  readonly texts: string[] = [];
  /** What was not as the format demands. */
  readonly wrong: string[] = [];
  /** How requests are answered; spans of others than accepted requests are kept too. */
  answer: Answer = accepted;
  readonly #server: Server = createServer((request, response) => {
    this.#take(request, response).catch((error: unknown) => {
      this.wrong.push(String(error));
      response.writeHead(400).end();
    });
  });

  static async start(): Promise<OtlpCollector> {
    const collector = new OtlpCollector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  accept(): void {
    this.answer = accepted;
  }

  /** The spans of the trace, once there are as many, by start. */
  spansOf(traceId: string, count: number): Promise<readonly CollectedSpan[]> {
    return eventually(`${count} spans of ${traceId}`, async () => {
      const found = this.spans.filter((span) => span.traceId === traceId);
      if (found.length < count) throw new Error(`${found.length}; ${this.wrong.join(', ')}`);
      return found.toSorted((a, b) => Number(a.startNanos - b.startNanos));
    });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = new TextDecoder('utf8', { fatal: true }).decode(Buffer.concat(parts));
    this.texts.push(text);
    const { method, url, headers } = request;
    this.#expect(`${method} ${url}` === 'POST /v1/traces', `${method} ${url}`);
    this.#expect(headers['content-type'] === 'application/json', 'Content-Type');
    const body = JSON.parse(text) as Fields;
    this.#fields(body, ['resourceSpans']);
    for (const group of listIn(body, 'resourceSpans')) this.#takeGroup(group);
    this.answer(response);
  }

  #takeGroup(group: Fields): void {
    this.#fields(group, ['resource', 'scopeSpans']);
    const resource = this.#attributes(group['resource'] as Fields);
    this.#expect(typeof resource['service.name'] === 'string', 'service.name is required');
    for (const scoped of listIn(group, 'scopeSpans')) {
      this.#fields(scoped, ['scope', 'spans']);
      this.#expect(typeof (scoped['scope'] as Fields)['name'] === 'string', 'the scope’s name');
      for (const span of listIn(scoped, 'spans')) this.#takeSpan(span, resource);
    }
  }

  #takeSpan(span: Fields, resource: CollectedSpan['resource']): void {
    const known = ['traceId', 'spanId', 'flags', 'name', 'kind', 'attributes', 'status'];
    const times = ['startTimeUnixNano', 'endTimeUnixNano'];
    this.#fields(span, [...known, ...times], ['parentSpanId', 'traceState']);
    const { traceId, spanId, parentSpanId, traceState, flags, name, kind } = span as Omit<
      CollectedSpan,
      'failed'
    >;
    this.#expect(/^(?!0+$)[\da-f]{32}$/.test(traceId), `traceId ${traceId}`);
    this.#expect(/^(?!0+$)[\da-f]{16}$/.test(spanId), `spanId ${spanId}`);
    const isParent = parentSpanId === undefined || /^(?!0+$)[\da-f]{16}$/.test(parentSpanId);
    this.#expect(isParent, `parentSpanId ${parentSpanId}`);
    this.#expect(Number.isInteger(flags) && flags >= 0 && flags < 2 ** 32, `flags ${flags}`);
    this.#expect(typeof name === 'string' && name !== '', `name ${name}`);
    this.#expect(Number.isInteger(kind) && kind >= 1 && kind <= 5, `kind ${kind}`);
    const [startNanos = 0n, endNanos = 0n] = times.map((time) => this.#fixed64(span[time]));
    this.#expect(endNanos >= startNanos, 'it ends before it starts');
    const status = span['status'] as Fields;
    this.#fields(status, [], ['code', 'message']);
    this.#expect([undefined, 1, 2].includes(status['code'] as number), 'status.code');
    this.spans.push({
      traceId,
      spanId,
      parentSpanId,
      traceState,
      flags,
      name,
      kind,
      startNanos,
      endNanos,
      attributes: this.#attributes(span),
      failed: status['code'] === 2,
      resource,
    });
  }

  #attributes(of: Fields): Record<string, string | number> {
    const found: Record<string, string | number> = {};
    for (const attribute of listIn(of, 'attributes')) {
      this.#fields(attribute, ['key', 'value']);
      const key = attribute['key'] as string;
      const [[type, value] = []] = Object.entries(attribute['value'] as Fields);
      this.#expect(!(key in found), `${key} comes twice`);
      const isText = type === 'stringValue' && typeof value === 'string';
      const isInteger = type === 'intValue' && /^-?\d{1,19}$/.test(value as string);
      const isDouble = type === 'doubleValue' && typeof value === 'number';
      this.#expect(isText || isInteger || isDouble, `${key} is ${JSON.stringify(value)}`);
      found[key] = isInteger ? Number(value) : (value as string | number);
    }
    return found;
  }

  #fixed64(value: unknown): bigint {
    const isDecimal = typeof value === 'string' && /^\d{1,20}$/.test(value);
    this.#expect(isDecimal, `${String(value)} is no fixed64`);
    return isDecimal ? BigInt(value) : 0n;
  }

  #fields(of: Fields, required: readonly string[], optional: readonly string[] = []): void {
    const missing = required.filter((name) => !(name in of));
    const unknown = Object.keys(of).filter((name) => ![...required, ...optional].includes(name));
    this.#expect(missing.length === 0, `missing: ${missing.join()}`);
    this.#expect(unknown.length === 0, `unknown: ${unknown.join()}`);
  }

  #expect(holds: boolean, otherwise: string): void {
    if (!holds) this.wrong.push(otherwise);
  }
}

const listIn = (of: Fields, name: string) => of[name] as readonly Fields[];
