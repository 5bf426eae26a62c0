/**
 * An OpenID provider in its own process: npm oidc-provider as it is, with a person who signs in at once. Messages
 * set that person, the error of its clock, and forged claims in its ID tokens.
 */
import { createSign, type JsonWebKey, type KeyObject, createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { Provider } from 'oidc-provider';

export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name: string;
}

export interface ProviderOrders {
  readonly person?: Person;
  /** Seconds added to the provider's clock. */
  readonly skewSeconds?: number;
  /** Claims of ID tokens, signed with its own key all the same; null: as they should be. */
  readonly forge?: Readonly<Record<string, unknown>> | null;
  /** Signs ID tokens with a key that it does not publish. */
  readonly forgeSignature?: boolean;
}

interface ProviderStart {
  readonly port: number;
  readonly redirectUri: string;
  readonly key: JsonWebKey;
  readonly otherKey: JsonWebKey;
}

const start = JSON.parse(process.argv[2] ?? '') as ProviderStart;
const people = new Map<string, Person>();
let person: Person = { sub: 'nobody', name: 'Nobody' };
let skewMs = 0;
let forge: ProviderOrders['forge'] = null;
let forgeSignature = false;

const trueNow = Date.now.bind(Date);
Date.now = () => trueNow() + skewMs;

const provider = new Provider(`http://127.0.0.1:${start.port}`, {
  clients: [
    {
      client_id: 'ledgerhouse',
      client_secret: 'client-secret',
      redirect_uris: [start.redirectUri],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  jwks: { keys: [start.key] },
  cookies: { keys: ['cookies of the test'] },
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_context, sub) => ({
    accountId: sub,
    claims: () => Promise.resolve({ ...people.get(sub), sub }),
  }),
  loadExistingGrant: async (context) => {
    const { client, session } = context.oidc;
    const grant = new provider.Grant({
      clientId: client?.clientId ?? '',
      accountId: session?.accountId ?? '',
    });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});

provider.use(async (context, next) => {
  if (context.path.startsWith('/interaction/')) {
    context.respond = false;
    await provider.interactionFinished(context.req, context.res, {
      login: { accountId: person.sub },
    });
    return;
  }
  await next();
  const body = context.body as { id_token?: string } | undefined;
  if (context.path !== '/token' || body?.id_token === undefined) return;
  if (forge !== null || forgeSignature) body.id_token = resigned(body.id_token);
});

function resigned(token: string): string {
  const [header = '', payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const changed = Buffer.from(JSON.stringify({ ...claims, ...forge })).toString('base64url');
  const key: KeyObject = createPrivateKey({
    key: forgeSignature ? start.otherKey : start.key,
    format: 'jwk',
  });
  const signature = createSign('RSA-SHA256').update(`${header}.${changed}`).sign(key, 'base64url');
  return `${header}.${changed}.${signature}`;
}

process.on('message', (orders: ProviderOrders) => {
  if (orders.person !== undefined) {
    person = orders.person;
    people.set(person.sub, person);
  }
  skewMs = (orders.skewSeconds ?? 0) * 1_000;
  forge = orders.forge ?? null;
  forgeSignature = orders.forgeSignature ?? false;
  process.send?.('done');
});
process.on('disconnect', () => process.exit(0));

const server = provider.listen(start.port, '127.0.0.1');
await once(server, 'listening');
process.send?.('listening');
