/** The caller's own cluster: the current context of their kubeconfig. It is never started or taken down here. */
import { rmSync, writeFileSync } from 'node:fs';
import { KubeConfig, VersionApi } from '@kubernetes/client-node';
import { ClusterError } from '../config.ts';
import type { ClusterProvider } from '../provider.ts';
import { step } from '../progress.ts';

export const existing: ClusterProvider = {
  async up(config) {
    const kubeconfig = new KubeConfig();
    try {
      kubeconfig.loadFromDefault();
    } catch (error) {
      throw new ClusterError(`the kubeconfig cannot be read: ${String(error)}; check KUBECONFIG`, {
        cause: error,
      });
    }
    const context = kubeconfig.getCurrentContext();
    try {
      const { gitVersion } = await kubeconfig.makeApiClient(VersionApi).getCode();
      // The context is copied, so that a later `kubectl config use-context` does not move the tests to another cluster.
      writeFileSync(config.kubeconfig, kubeconfig.exportConfig(), { mode: 0o600 });
      step(`using context "${context}", Kubernetes ${gitVersion}`);
    } catch (error) {
      throw new ClusterError(
        `the cluster of the current context "${context}" does not answer (${String(error)}); check: kubectl cluster-info`,
        { cause: error },
      );
    }
  },

  async down(config) {
    rmSync(config.kubeconfig, { force: true });
  },

  async halt(config) {
    rmSync(config.kubeconfig, { force: true });
  },

  async loadImage(_config, reference) {
    throw new ClusterError(
      `images are not loaded into a cluster of yours; push ${reference} to a registry that it reads`,
    );
  },
};
