/** The committed OpenAPI document, and ajv, which had no part in making it, to judge messages by it. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { securityHeaders } from '../../../api/http/security-headers.ts';

interface Content {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<
    Record<string, { readonly value?: unknown; readonly $ref?: string }>
  >;
}
interface Message {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Content>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: object;
    readonly responses: Readonly<Record<string, Message>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

export const documentText = readFileSync('gen/openapi.json', 'utf8');
const document = JSON.parse(documentText) as Document;

const last = (reference: string) => reference.split('/').at(-1) ?? '';

export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

/** Content of the request of each event's webhook. */
export const webhookContents: ReadonlyMap<string, Content> = new Map(
  Object.entries(document.webhooks).flatMap(([type, { post }]) => {
    const content = post.requestBody?.content?.['application/json'];
    return content === undefined ? [] : [[type, content] as const];
  }),
);

/** The parts of a webhook's body that the document does not describe. */
export function undocumentedWebhook(body: { readonly type: string }): readonly unknown[] {
  const content = webhookContents.get(body.type);
  if (content === undefined) return [`there is no webhook ${body.type}`];
  const validate = validatorOf(strictAjv, closed(content.schema) as object);
  return validate(body) ? [] : (validate.errors ?? []);
}

export const responseOf = (response: Message): Message =>
  response.$ref === undefined
    ? response
    : (document.components.responses[last(response.$ref)] ?? {});

export const examplesOf = ({ example, examples = {} }: Content): [string, unknown][] => [
  ...(example === undefined ? [] : [['example', example] as [string, unknown]]),
  ...Object.entries(examples).map(([name, { value, $ref }]): [string, unknown] => [
    name,
    $ref === undefined ? value : document.components.examples[last($ref)]?.value,
  ]),
];

const documentId = 'https://ledgerhouse.dev/openapi.json';

function createAjv(components: unknown) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv, ['date-time', 'uri', 'ipv4', 'ipv6']);
  for (const bits of [16, 32, 64, 128]) {
    ajv.addFormat(
      `uint${bits}`,
      (text) => !/^\d+$/.test(text) || BigInt(text) < 2n ** BigInt(bits),
    );
  }
  ajv.addSchema({ $id: documentId, components });
  return ajv;
}

const ajv = createAjv(document.components);
/** Answers may gain properties; a test wants to know of those that the document does not. */
const strictAjv = createAjv(closed(document.components));

/** References within the document become references to it by its id. */
const absolute = (schema: object) =>
  JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/', `"${documentId}#/components/`),
  ) as object;

const compiled = new Map<string, ValidateFunction>();

/** Compiling takes far longer than judging, and most problems are of one schema. */
function validatorOf(by: Ajv2020, schema: object): ValidateFunction {
  const key = `${by === ajv} ${JSON.stringify(schema)}`;
  const known = compiled.get(key) ?? by.compile(absolute(schema));
  compiled.set(key, known);
  return known;
}

/** The violations; empty if there are none. */
export function errorsOf(schema: object, value: unknown): readonly unknown[] {
  const validate = validatorOf(ajv, schema);
  return validate(value) ? [] : (validate.errors ?? []);
}

/**
 * The parts of an answer that the document does not describe: status, type, our headers, or anything in its body,
 * undocumented properties included.
 * `code`: code of a problem, which must be among those of the operation.
 */
export function undocumented(
  operationId: string,
  answer: Pick<Response, 'status' | 'headers'>,
  body: string,
): readonly unknown[] {
  const found = operations.find(({ operation }) => operation.operationId === operationId);
  const response = found?.operation.responses[String(answer.status)];
  if (response === undefined) return [`${operationId} has no answer ${answer.status}`];
  const { content, headers = {} } = responseOf(response);
  const known = new Set([
    ...generalHeaders,
    ...Object.keys(headers).map((name) => name.toLowerCase()),
  ]);
  const others = [...answer.headers.keys()].filter((name) => !known.has(name));
  if (others.length > 0)
    return [`${operationId} ${answer.status} has no header ${others.join(', ')}`];
  if (content === undefined) return body === '' ? [] : ['it has a body'];
  const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const form = content[type];
  if (form === undefined) return [`${operationId} ${answer.status} has no answer of type ${type}`];
  // NDJSON is text of many lines.
  if (type !== 'application/json' && !type.endsWith('+json')) return [];
  const value = JSON.parse(body) as { code?: string };
  if (answer.status >= 400) {
    const known = examplesOf(form).map(([name]) => name);
    if (!known.includes(value.code ?? '')) {
      return [
        `${operationId} ${answer.status} has no problem ${value.code}; there are ${known.join(', ')}`,
      ];
    }
  }
  const validate = validatorOf(strictAjv, closed(form.schema) as object);
  return validate(value) ? [] : (validate.errors ?? []);
}

/** Headers of every server or of all our answers alike: no operation's contract names them. */
const generalHeaders = [
  ...Object.keys(securityHeaders).map((name) => name.toLowerCase()),
  'strict-transport-security',
  'cache-control',
  'connection',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-accel-buffering',
  'vary',
];

/** The same with objects that hold nothing but what they name. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  const isObject = inner['type'] === 'object' && inner['properties'] !== undefined;
  return isObject && inner['additionalProperties'] === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
}
