/** Builds the reference of the API as one HTML page from its OpenAPI document. */
import { escaped, page } from './page.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}
interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<
    Record<string, { readonly value?: unknown; readonly $ref?: string }>
  >;
}
interface Message {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
  readonly security?: readonly object[];
  readonly 'x-required-permission'?: string;
  readonly 'x-required-database-scope'?: string;
  readonly 'x-required-roles'?: readonly string[];
}
interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Message>>;
  };
}

interface Row {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export function referencePage(json: Readonly<Record<string, unknown>>): string {
  const document = json as unknown as Document;
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Row => ({ path, method, operation })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    rows: rows.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const { info, servers, components } = document;
  const links = groups.map(
    (group) =>
      `<h2>${escaped(group.name)}</h2><ul>${group.rows.map((row) => `<li><a href="#${row.operation.operationId}">${methodOf(row)} ${escaped(row.operation.summary)}</a></li>`).join('')}</ul>`,
  );
  const serverList = servers
    .map(({ url, description }) => `<li>${escaped(description)}: <code>${escaped(url)}</code></li>`)
    .join('');
  const schemas = Object.entries(components.schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, schema]) => `<section id="schema-${name}"><h3>${name}</h3>${shape(schema)}</section>`,
    )
    .join('');
  const main = [
    `<h1>${escaped(info.title)} <small>${escaped(info.version)}</small></h1>`,
    paragraphs(info.description),
    `<p><a href="/api/v1/openapi.json">The OpenAPI 3.1 document</a> · <a href="/docs/problems">All problems</a></p>`,
    `<ul>${serverList}</ul>`,
    ...groups.map(
      (group) =>
        `<h2>${escaped(group.name)}</h2>${group.rows.map((row) => operationSection(row, components)).join('')}`,
    ),
    `<h2 id="schemas">Schemas</h2>${schemas}`,
  ];
  const nav = `<nav aria-label="Operations"><strong>Ledgerhouse API</strong>${links.join('')}<h2><a href="#schemas">Schemas</a></h2></nav>`;
  return page('API reference', `${nav}<main>${main.join('')}</main>`);
}

const methodOf = ({ method }: Row): string =>
  `<span class="method ${method}">${method.toUpperCase()}</span>`;

/** Renders paragraphs, **bold** and `code`: the part of Markdown that the descriptions use. */
const paragraphs = (text: string): string =>
  text
    .split(/\n\n/)
    .map((part) => `<p>${inline(part)}</p>`)
    .join('');

const inline = (text: string): string =>
  escaped(text)
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>');

function operationSection(row: Row, components: Document['components']): string {
  const { operation, path } = row;
  const body = operation.requestBody?.content?.['application/json'];
  const parts = [
    `<h3>${methodOf(row)} <code>${escaped(path)}</code></h3>`,
    `<p><strong>${escaped(operation.summary)}.</strong> ${inline(operation.description ?? '')}</p>`,
    `<p class="access">${access(operation)}</p>`,
    parameterTable(operation.parameters ?? []),
    body === undefined ? '' : `<h4>Body</h4>${shape(body.schema ?? {})}${examplesOf(body)}`,
    `<h4>With curl</h4><pre>${escaped(curl(row, body))}</pre>`,
    '<h4>Answers</h4>',
    ...Object.entries(operation.responses).map(([status, answer]) =>
      answerSection(status, answer, components),
    ),
  ];
  return `<section id="${operation.operationId}">${parts.join('')}</section>`;
}

function access(operation: Operation): string {
  if (operation.security?.length === 0) return 'No credential.';
  const permission = operation['x-required-permission'];
  const roles = operation['x-required-roles'];
  const people = roles === undefined ? '' : ` A person: ${roles.join(', ')}.`;
  if (permission === undefined) {
    return roles === undefined ? 'Any valid credential.' : `A session, no API key.${people}`;
  }
  const scope = operation['x-required-database-scope'] === 'ALL' ? ', for all databases' : '';
  return `An API key with <code>${permission}</code>${scope}.${people}`;
}

function parameterTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    (one) =>
      `<tr><td><code>${escaped(one.name)}</code>${one.required ? ' <em>required</em>' : ''}</td><td>${one.in}</td><td>${typeOf(one.schema ?? {})}</td><td>${inline(one.description ?? '')}</td></tr>`,
  );
  return `<table><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr>${rows.join('')}</table>`;
}

function curl({ method, path, operation }: Row, body: Content | undefined): string {
  const example = Object.values(body?.examples ?? {})[0]?.value;
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name}`);
  const key = credentialFlags(operation, method);
  const data =
    example === undefined
      ? ''
      : ` \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(example)}'`;
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  return `curl${verb} "$LEDGERHOUSE_BASE_URL${address}"${key}${data}`;
}

function credentialFlags({ security, ...operation }: Operation, method: string): string {
  if (security?.length === 0) return '';
  const isForPeople =
    operation['x-required-permission'] === undefined && operation['x-required-roles'] !== undefined;
  if (!isForPeople) return ` \\\n  -H "x-api-key: $LEDGERHOUSE_API_KEY"`;
  const csrf = method === 'get' ? '' : ` \\\n  -H "x-csrf-token: $csrfToken"`;
  return ` \\\n  -b cookies.txt${csrf}`;
}

function answerSection(
  status: string,
  answer: Message,
  components: Document['components'],
): string {
  const name = answer.$ref?.split('/').at(-1) ?? '';
  const resolved = answer.$ref === undefined ? answer : (components.responses[name] ?? {});
  const json = resolved.content?.['application/json'];
  const head = `<span class="status s${status.charAt(0)}">${status}</span> ${inline(resolved.description ?? '')}`;
  if (json === undefined) return `<div class="answer">${head}</div>`;
  return `<details class="answer"><summary>${head}</summary>${shape(json.schema ?? {})}${examplesOf(json)}</details>`;
}

function examplesOf({ example, examples = {} }: Content): string {
  const values =
    example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
  return values
    .filter((value) => value !== undefined)
    .map((value) => `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`)
    .join('');
}

const link = (reference: string): string => {
  const name = reference.split('/').at(-1) ?? '';
  return `<a href="#schema-${name}">${name}</a>`;
};

/** Renders a schema in full: its properties as a list, with nested ones inside. */
function shape(schema: Schema): string {
  if (schema.$ref !== undefined) return `<p>${link(schema.$ref)}</p>`;
  const about = schema.description === undefined ? '' : `<p>${inline(schema.description)}</p>`;
  const { properties } = schema;
  if (properties === undefined) return `${about}<p>${typeOf(schema)}</p>`;
  const rows = Object.entries(properties).map(([name, inner]) => {
    const required = schema.required?.includes(name) ? ' <em>required</em>' : '';
    const nested = nestedOf(inner);
    return `<li><code>${escaped(name)}</code>${required} ${typeOf(inner)} ${inline(inner.description ?? '')}${nested}</li>`;
  });
  return `${about}<ul class="shape">${rows.join('')}</ul>`;
}

function nestedOf(schema: Schema): string {
  const inner =
    schema.items ?? schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema;
  return inner.properties === undefined ? '' : shape({ ...inner, description: '' });
}

/** Short description of a schema's type. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return link(schema.$ref);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.map(typeOf).join(' or ');
  if (schema.const !== undefined) return `<code>${escaped(JSON.stringify(schema.const))}</code>`;
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => `<code>${escaped(String(value))}</code>`).join(' | ');
  }
  const { type = 'anything' } = schema;
  const noun = typeof type === 'string' ? type : type.join(' or ');
  const words = [
    type === 'array' ? `list of ${typeOf(schema.items ?? {})}` : (schema.format ?? noun),
    rangeOf(schema),
    schema.pattern === undefined ? '' : `<code>${escaped(schema.pattern)}</code>`,
    schema.default === undefined ? '' : `(default ${escaped(JSON.stringify(schema.default))})`,
  ];
  return `<span class="type">${words.filter((word) => word !== '').join(' ')}</span>`;
}

function rangeOf(schema: Schema): string {
  const least = schema.minimum ?? schema.minLength ?? schema.minItems;
  const most = schema.maximum ?? schema.maxLength ?? schema.maxItems;
  const isSafe = (value: number | undefined) =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const from = isSafe(least) ? `${least}` : '';
  const to = isSafe(most) ? `${most}` : '';
  return from === '' && to === '' ? '' : `${from}…${to}`;
}
