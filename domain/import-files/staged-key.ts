import { importFileName } from './file-head.ts';

/** Folder of an import in the bucket. It is no archive's, because the ID of a database has no hyphen. */
export const stagedFolder = (importId: string): string => `import-files/${importId}/`;

/** A file to be imported; its name is the one that is recommended for an exported file. */
export const stagedKey = (
  importId: string,
  clusterId: bigint | string,
  replicaIndex: number,
): string => `${stagedFolder(importId)}${importFileName(clusterId, replicaIndex)}`;
