/**
 * The OpenAPI 3.1 document of the route table. OpenAPI 3.1 accepts Zod's draft 2020-12 schemas directly; those with an id
 * become components. Objects of answers stay open: answers may gain properties at any time, and clients ignore unknown ones.
 */
import { z } from 'zod';
import type { Access } from '../model/access.ts';
import { headers as documentedHeaders } from './headers.ts';
import { namesInPath, numbersInPath, pathNumbers, pathParameters } from './path-parameters.ts';
import { problems, type ProblemCode } from '../model/problems.ts';
import { problemsOf } from './problems-of-route.ts';
import { routeEntries } from './routes.ts';
import { takesIdempotencyKey, type BodySpec, type ResponseSpec, type RouteSpec } from './route.ts';
import { problemExample, problemSchema } from './schemas/problem.ts';
import { webhooksOfDocument } from './webhooks-of-document.ts';

type Json = Readonly<Record<string, unknown>>;
export type OpenapiDocument = Json & { readonly openapi: string };

export interface DocumentOptions {
  readonly version: string;
  /** Base addresses, without `/api/v1`. */
  readonly servers: Readonly<Record<'local' | 'development' | 'staging' | 'production', string>>;
  readonly docsUrl: string;
}

const introduction = `Hosted double-entry ledger databases.

Every answer has \`X-Request-Id\`. Errors are problem details (RFC 9457) with a stable \`code\`; \`retryable\` says whether the same
request may succeed later.

**Compatibility.** Within v1 there are only additions. Clients ignore properties that they do not know and take unknown values
of enumerations, problem codes and types of events. What is removed is first marked \`deprecated\`, with the headers
\`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594), for twelve months at least, and goes with v2.

**Repeated requests.** Every POST of the control plane takes \`Idempotency-Key\`: a request that may not have arrived is sent again
with the same key and body, is done once, and gets the same answer for 24 hours, secrets that are shown once included. The ledger's
own POSTs do not need it: a record that is there is found to exist.

**Integers.** 128- and 64-bit integers are strings of digits in answers. In requests of the ledger they are strings or JSON
integers, which are taken exactly however large they are.`;

export function openapiDocument({ version, servers, docsUrl }: DocumentOptions): OpenapiDocument {
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, route] of routeEntries) {
    const item = (paths[route.path] ??= {});
    item[route.method.toLowerCase()] = operationOf(operationId, route, components);
  }
  const tags = [...new Set(routeEntries.map(([, { tag }]) => tag)), 'Events'].map((name) => ({
    name,
  }));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Ledgerhouse API',
      version,
      description: introduction,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: Object.entries(servers).map(([description, url]) => ({ url, description })),
    tags,
    paths,
    webhooks: webhooksOfDocument((schema) => components.schema(schema)),
    components: {
      schemas: components.schemas,
      responses: components.responses,
      examples: Object.fromEntries(
        [...components.codes]
          .sort()
          .map((code) => [code, { value: problemExample(docsUrl, code) }]),
      ),
      headers: documentedHeaders,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, or a person’s access token.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-session',
          description:
            'The session of a person. Requests that change something also need X-CSRF-Token.',
        },
      },
    },
  };
}

/** Collects the components that the operations refer to. */
class Components {
  readonly schemas: Record<string, unknown> = {};
  readonly responses: Record<string, unknown> = {};
  readonly codes = new Set<ProblemCode>();

  constructor() {
    this.schema(problemSchema);
  }

  schema(schema: z.ZodType): unknown {
    const {
      $schema: _,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, {
      io: 'input',
      target: 'draft-2020-12',
    }) as Json & { $defs?: Json };
    for (const [name, definition] of Object.entries($defs)) {
      this.schemas[name] = withComponentReferences(withoutId(definition as Json));
    }
    const name = schema.meta()?.id;
    if (name === undefined) return withComponentReferences(own);
    this.schemas[name] ??= withComponentReferences(withoutId(own));
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Reference to the response with these problems of one status. Equal sets of problems share one component. */
  problems(codes: readonly ProblemCode[]): unknown {
    const name = codes.join('-or-');
    this.responses[name] ??= problemResponse(codes);
    for (const code of codes) this.codes.add(code);
    return { $ref: `#/components/responses/${name}` };
  }
}

const withoutId = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'id'));

function withComponentReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withComponentReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : withComponentReferences(inner),
    ]),
  );
}

function operationOf(operationId: string, route: RouteSpec, components: Components): Json {
  const responses: Record<string, unknown> = {};
  for (const [status, response] of Object.entries(route.responses)) {
    responses[status] = responseOf(route, response, components);
  }
  if (route.conditional === 'read') {
    const names = ['X-Request-Id', ...limitHeaders(route), 'ETag'];
    responses['304'] = {
      description: 'The representation of If-None-Match is still current.',
      headers: headersOf(names),
    };
  }
  for (const [status, codes] of byStatus(problemsOf(route))) {
    responses[status] = components.problems(codes);
  }
  return {
    operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    security: securityOf(route.access),
    ...requirementsOf(route.access),
    parameters: parametersOf(route, components),
    ...(route.body !== undefined && { requestBody: bodyOf(route.body, components) }),
    responses,
  };
}

function byStatus(codes: readonly ProblemCode[]): readonly (readonly [number, ProblemCode[]])[] {
  const rows = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = problems[code];
    rows.set(status, [...(rows.get(status) ?? []), code]);
  }
  return [...rows].sort(([a], [b]) => a - b);
}

const problemResponse = (codes: readonly ProblemCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
  headers: headersOf(problemHeaders(problems[codes[0] ?? 'internal_error'].status)),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(
        codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
      ),
    },
  },
});

const limitsOfCaller = ['RateLimit-Policy', 'RateLimit'];

/** Headers of a problem response. One component serves routes with rate limits and without. */
function problemHeaders(status: number): readonly string[] {
  if (status === 401) return ['X-Request-Id', 'WWW-Authenticate'];
  const always = ['X-Request-Id', ...limitsOfCaller];
  if (status === 415) return [...always, 'Accept', 'Accept-Encoding'];
  if (status === 426) return [...always, 'Upgrade'];
  return [409, 429, 503].includes(status) ? [...always, 'Retry-After'] : always;
}

const limitHeaders = ({ access }: RouteSpec): readonly string[] =>
  access.kind === 'public' ? [] : limitsOfCaller;

function responseOf(route: RouteSpec, response: ResponseSpec, components: Components): Json {
  const names = [
    'X-Request-Id',
    ...limitHeaders(route),
    ...(takesIdempotencyKey(route) ? ['Idempotent-Replayed'] : []),
    ...(route.conditional === undefined || response.form === 'empty' ? [] : ['ETag']),
    ...(response.headers ?? []),
  ];
  const head = { description: response.description, headers: headersOf(names) };
  if (response.textTypes !== undefined) {
    const content = Object.entries(response.textTypes).map(([type, example]) => [
      type,
      { schema: { type: 'string' }, example },
    ]);
    return { ...head, content: Object.fromEntries(content) };
  }
  if (response.schema === undefined) return head;
  const schema = components.schema(response.schema);
  const events = { 'text/event-stream': { schema: eventSchema } };
  if (response.form === 'events') return { ...head, content: events };
  const json = { 'application/json': { schema, example: response.example } };
  if (response.orEvents === true) return { ...head, content: { ...json, ...events } };
  const isRead = response.form === 'bytes' && route.access.kind === 'database';
  const csv = isRead && route.access.permission === 'db:read';
  return {
    ...head,
    content: csv ? { ...json, 'text/csv': { schema: { type: 'string' } } } : json,
  };
}

/** Schema of one event of a stream; `data` is JSON. */
const eventSchema = {
  type: 'object',
  required: ['id', 'event', 'data'],
  properties: { id: { type: 'string' }, event: { type: 'string' }, data: { type: 'string' } },
};

const headersOf = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function securityOf(access: Access): readonly Json[] {
  if (access.kind === 'public') return [];
  const session = { session: [] };
  const isPerson = access.kind === 'person' || (access.kind === 'self' && !access.keys);
  return isPerson ? [{ bearer: [] }, session] : [{ apiKey: [] }, { bearer: [] }, session];
}

function requirementsOf(access: Access): Json {
  if (access.kind !== 'database' && access.kind !== 'person') return {};
  return {
    ...(access.kind === 'database' && {
      'x-required-permission':
        access.orPermission === undefined
          ? access.permission
          : `${access.permission} or ${access.orPermission}`,
      'x-required-database-scope': access.scope === 'organization' ? 'ALL' : 'the database',
    }),
    'x-required-roles': access.roles,
  };
}

function bodyOf({ form, schema, examples, optional }: BodySpec, components: Components): Json {
  if (form === 'octets') {
    const { description } = schema;
    const content = {
      'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
    };
    return { required: true, ...(description !== undefined && { description }), content };
  }
  return {
    required: optional !== true,
    content: {
      'application/json': {
        schema: components.schema(schema),
        examples: Object.fromEntries(
          Object.entries(examples).map(([name, value]) => [name, { value }]),
        ),
      },
    },
  };
}

function parametersOf(route: RouteSpec, components: Components): readonly Json[] {
  const inPath = namesInPath(route.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: `ID of the ${pathParameters[name].noun}.`,
    schema: {
      type: 'string',
      pattern: `^${pathParameters[name].prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
    },
    example: `${pathParameters[name].prefix}_01jd8f3zk5e0v9t3m2q6r8w4x0`,
  }));
  const numbers = numbersInPath(route.path).map((name) => {
    const { noun, minimum, maximum } = pathNumbers[name];
    return {
      name,
      in: 'path',
      required: true,
      description: `Number of the ${noun}.`,
      schema: { type: 'integer', minimum, maximum },
      example: minimum,
    };
  });
  const inQuery = Object.entries(route.query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...rest } = components.schema(schema as z.ZodType) as Json;
    const isList = rest['type'] === 'array';
    return {
      name,
      in: 'query',
      required: false,
      ...(description !== undefined && { description }),
      ...(isList && { style: 'form', explode: false }),
      schema: rest,
    };
  });
  return [...inPath, ...numbers, ...inQuery, ...headerParametersOf(route)];
}

function headerParametersOf(route: RouteSpec): readonly Json[] {
  const header = (name: string, description: string, pattern?: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
  });
  const rows: Json[] = [];
  if (route.conditional === 'read')
    rows.push(header('If-None-Match', 'The ETag that the client has.'));
  if (route.conditional === 'match') {
    rows.push(header('If-Match', 'The ETag of the representation to change.'));
  }
  if (takesIdempotencyKey(route)) {
    const what =
      'Your name for this request. If it is sent again within 24 hours, it is executed once, and the answer is the same.';
    rows.push(header('Idempotency-Key', what, idempotencyKeyPattern));
  }
  if (route.responses[200]?.orEvents === true) {
    const what = 'With a stream: the ID of the last event that the client has.';
    rows.push(header('Last-Event-ID', what));
  }
  if (route.body?.form === 'signed') {
    rows.push(header('Stripe-Signature', 'Signature of the body, as Stripe makes it.'));
  }
  if (route.body?.form === 'octets') {
    const what = 'Digest of the body (RFC 9530).';
    rows.push({
      ...header('Content-Digest', what, '^sha-256=:[A-Za-z0-9+/]{43}=:$'),
      required: true,
    });
  }
  if (route.body?.form === 'ledger') {
    rows.push(header('Prefer', '`wait=N`: seconds that it may take, 1 to 30; 10 when absent.'));
  }
  if (route.access.kind !== 'public' && route.method !== 'GET') {
    rows.push(header('X-CSRF-Token', 'With a session: the CSRF token from its opening.'));
  }
  if (route.access.kind !== 'public') {
    rows.push(
      header(
        'X-Organization-Id',
        'With a session: the organization to act for, if not the first.',
        '^org_[0-7][0-9a-hjkmnp-tv-z]{25}$',
      ),
    );
  }
  return rows;
}

export const idempotencyKeyPattern = '^[!-~]{1,255}$';
