/** Where a cluster comes from. Each provider brings one up at `config.kubeconfig`, loads images into it, takes it down. */
import type { ClusterConfig } from './config.ts';

export interface ClusterProvider {
  up(config: ClusterConfig): Promise<void>;
  /** Removes all that `up` made. Does nothing where there is nothing. */
  down(config: ClusterConfig): Promise<void>;
  /** Ends what runs and keeps what it stored, with which `up` goes on. */
  halt(config: ClusterConfig): Promise<void>;
  /** Loads a docker-archive into every node that does not have `reference` yet. */
  loadImage(config: ClusterConfig, reference: string, archive: string): Promise<void>;
}
