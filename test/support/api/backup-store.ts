/** A store of backups for an operator whose Jobs nobody runs. */
import type { Kubelet } from '../operator/kubelet.ts';
import type { TestOperatorOptions } from '../operator/test-operator.ts';
import { labels } from '../../../domain/names.ts';

/** What the program of a backup says of one that it has made. */
export const madeBackup = {
  backupId: 'bkp_x',
  key: 'db_x/backups/1.ndjson',
  sha256: 'a'.repeat(64),
  clusterId: '5',
  op: 126,
  timestamp: '1795372852090008189',
  stateHash: 'b'.repeat(32),
  release: '0.17.9',
  accounts: 2,
  transfers: 1_000,
  sizeBytes: 146_000,
  storedBytes: 27_000,
  newBytes: 300,
  seconds: 1.1,
};

/** What it says of one that has the data files of three replicas. */
export const madeOfFiles = {
  backupId: 'bkp_x',
  key: 'db_x/file-backups/bkp_x.ndjson',
  sha256: 'a'.repeat(64),
  clusterId: '77',
  release: '0.17.8',
  files: [0, 1, 2].map((replica) => ({
    replica,
    sizeBytes: 700_000_000,
    sha256: String(replica).repeat(64),
  })),
  sizeBytes: 2_100_000_000,
  storedBytes: 27_000,
  encrypted: true,
  seconds: 1.1,
};

export const operatorWithStore: Partial<TestOperatorOptions> = {
  store: {
    url: 's3://backups/house',
    endpoint: 'http://s3.example:7070',
    region: 'eu-1',
    accessKeyId: 'key',
    secretAccessKey: 'very-secret',
  },
  askForCheckpoint: () => Promise.resolve({ op: 99 }),
};

/** The Jobs of backups end with what `says` returns for the backup's name, or go on: by default, one is made, and proven. */
export function endBackupJobs(
  kubelet: Kubelet,
  says: (backup: string) => ReturnType<Kubelet['ending']> = () => ({
    exitCode: 0,
    message: `${JSON.stringify(madeBackup)}\n`,
  }),
): void {
  kubelet.ending = ({ metadata }) => {
    const backup = metadata?.labels?.[labels.backup];
    return backup === undefined ? undefined : says(backup);
  };
}
