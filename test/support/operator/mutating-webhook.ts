/** A mutating admission webhook on the loopback, as Kyverno or an injector of sidecars is one for the API server. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject, Resource } from '../../../base/kube/kube.ts';
import type { KubeHttp } from '../../../base/kube/kube-http.ts';
import { Pki } from '../../../tools/cluster/pki.ts';

/** Returns the object as it is to be stored. */
export type Mutation = (object: KubeObject) => KubeObject;

export interface MutatingWebhook {
  /** Number of objects that it changed. */
  readonly changed: number;
  /** Sets what it does to objects of a namespace; `undefined`: nothing. */
  mutate(namespace: string, mutation: Mutation | undefined): void;
  stop(): Promise<void>;
}

const configuration: Resource = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
};
const kinds = [
  { apiGroups: ['apps'], resources: ['statefulsets'] },
  { apiGroups: ['batch'], resources: ['jobs'] },
  { apiGroups: [''], resources: ['pods', 'services'] },
];

interface Review {
  readonly request: {
    readonly uid: string;
    readonly namespace: string;
    readonly object: KubeObject;
  };
}

export async function startMutatingWebhook(kube: KubeHttp): Promise<MutatingWebhook> {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-webhook-'));
  const pki = new Pki(folder);
  await pki.init();
  const mutations = new Map<string, Mutation>();
  let changed = 0;
  const answer = ({ request: { uid, namespace, object } }: Review) => {
    const next = mutations.get(namespace)?.(object) ?? object;
    const patch = Object.entries(next)
      .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(object[field as 'kind']))
      .map(([field, value]) => ({ op: 'replace', path: `/${field}`, value: value as unknown }));
    if (patch.length > 0) changed += 1;
    const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
    return { uid, allowed: true, patchType: 'JSONPatch', patch: encoded };
  };
  const { cert, key } = await pki.sign('webhook', { user: 'webhook', hosts: ['127.0.0.1'] });
  const credentials = { cert: readFileSync(cert), key: readFileSync(key) };
  const server = createServer(credentials, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
      const { apiVersion, kind } = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ apiVersion, kind, response: answer(review) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const webhook = {
    name: 'mutate.test.ledgerhouse.dev',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    // The longest that Kubernetes allows: the process that answers may be busy with another test's work.
    timeoutSeconds: 30,
    reinvocationPolicy: 'Never',
    clientConfig: {
      url: `https://127.0.0.1:${port}/`,
      caBundle: readFileSync(pki.ca.cert).toString('base64'),
    },
    rules: kinds.map((rule) => ({
      ...rule,
      apiVersions: ['v1'],
      operations: ['CREATE', 'UPDATE'],
    })),
  };
  const { apiVersion, kind } = configuration;
  const object = { apiVersion, kind, metadata: { name: 'mutate' }, webhooks: [webhook] };
  const made = await kube.create<KubeObject>(configuration, object, { fieldManager: 'test' });
  return {
    get changed() {
      return changed;
    },
    mutate(namespace, mutation) {
      if (mutation === undefined) mutations.delete(namespace);
      else mutations.set(namespace, mutation);
    },
    async stop() {
      const uid = made.metadata.uid ?? '';
      await kube.delete({ resource: configuration, name: 'mutate' }, { uid });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
