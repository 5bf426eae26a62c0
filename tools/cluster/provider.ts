/** Source of a cluster. Each provider brings one up at `config.kubeconfig`, loads images into it, and takes it down. */
import type { ClusterConfig } from './config.ts';

export interface ClusterProvider {
  up(config: ClusterConfig): Promise<void>;
  /** Removes everything that `up` made. Does nothing if there is nothing. */
  down(config: ClusterConfig): Promise<void>;
  /** Ends the processes and keeps the stored data; `up` continues with it. */
  halt(config: ClusterConfig): Promise<void>;
  /** Loads a docker-archive into every node that does not have `reference` yet. */
  loadImage(config: ClusterConfig, reference: string, archive: string): Promise<void>;
}
