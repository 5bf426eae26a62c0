/**
 * Secrets that an installation generates for itself. Each is created once and never read or replaced: a chart rendered
 * without a cluster (`helm template`, Argo CD) cannot know the existing ones, so a Job in the cluster creates missing ones.
 */
import { randomBytes } from 'node:crypto';
import { ApiError, type Kube } from '../base/kube/kube.ts';
import { resources, type Secret } from '../domain/kinds.ts';

export const secretKinds = ['signing-key', 'bootstrap-token', 'postgres', 's3'] as const;
type SecretKind = (typeof secretKinds)[number];

export interface SecretWanted {
  readonly kind: SecretKind;
  readonly name: string;
}

interface SecretsOptions {
  readonly kube: Pick<Kube, 'create' | 'mergePatch'>;
  readonly namespace: string;
  readonly wanted: readonly SecretWanted[];
  readonly report: (name: string, words: string) => void;
}

const fieldManager = 'ledgerhouse-secrets';
/** Keeps Helm from deleting the Secret, even if an earlier chart had it in its release. */
const annotations = { 'helm.sh/resource-policy': 'keep' };

export async function makeMissingSecrets(options: SecretsOptions): Promise<void> {
  const { kube, namespace, wanted, report } = options;
  for (const { kind, name } of wanted) {
    const labels = { 'app.kubernetes.io/part-of': 'ledgerhouse' };
    const secret: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels, annotations },
      type: 'Opaque',
      stringData: contentOf(kind, namespace),
    };
    try {
      await kube.create(resources.secret, secret, { fieldManager });
      report(name, 'made');
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error;
      const reference = { resource: resources.secret, namespace, name };
      await kube.mergePatch(reference, { metadata: { annotations } }, { fieldManager });
      report(name, 'exists already; its content is not changed');
    }
  }
}

/** Keys and values of a new Secret. */
const contentOf = (kind: SecretKind, namespace: string): Record<string, string> =>
  makers[kind](namespace);

const makers: Record<SecretKind, (namespace: string) => Record<string, string>> = {
  'signing-key': () => ({ 'signing-key': random(48) }),
  'bootstrap-token': () => ({ token: `lhb_${random(40)}` }),
  postgres(namespace) {
    const password = random(32);
    const host = `ledgerhouse-postgres.${namespace}.svc:5432`;
    return { password, url: `postgres://ledgerhouse:${password}@${host}/ledgerhouse` };
  },
  s3: (namespace) => ({
    accessKeyId: random(20),
    secretAccessKey: random(40),
    endpoint: `http://ledgerhouse-s3.${namespace}.svc:7070`,
  }),
};

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Random letters and digits, uniformly distributed. */
function random(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: greater bytes would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}
