/** Databases of TigerBeetle that begin with a backup: a program that is their first client fills them. */
import type { DatabaseStatus } from './custom-resources.ts';
import { releaseOfText } from './import-files/file-head.ts';

/** TigerBeetle answers a create with a status for each row since then. */
const FIRST_RELEASE = '0.17.0';

export const fillsFromRelease = (release: string): boolean => {
  const [own, first] = [releaseOfText(release), releaseOfText(FIRST_RELEASE)];
  return own !== undefined && first !== undefined && own >= first;
};

/** Whether the database has all data with which it begins. */
export const hasBegun = (status: DatabaseStatus | undefined): boolean =>
  status?.bootstrapped === true && status.filled !== false;
