/** A client of whatever cluster a kubeconfig names at the moment: a cluster that is made anew has other certificates. */
import { readFileSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { createKube, type KubeHttp } from '../../../base/kube/kube-http.ts';

/** For what hangs: a machine with other users may be ten times slower than usual. */
const callTimeoutMs = 60_000;

export class Reader {
  readonly #path: string;
  #held: { readonly text: string; readonly kube: KubeHttp } | undefined;

  constructor(kubeconfig: string) {
    this.#path = kubeconfig;
  }

  get kube(): KubeHttp {
    const text = readFileSync(this.#path, 'utf8');
    if (this.#held?.text === text) return this.#held.kube;
    void this.close();
    const config = new KubeConfig();
    config.loadFromString(text);
    this.#held = { text, kube: createKube(config, { callTimeoutMs }) };
    return this.#held.kube;
  }

  async close(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.kube.close();
  }
}
