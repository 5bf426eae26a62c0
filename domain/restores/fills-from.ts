/** The releases of TigerBeetle that a program can fill with a backup. */
import { releaseOfText } from '../import-files/file-head.ts';

/** TigerBeetle answers a create with a status for each row since then. */
const FIRST_RELEASE = '0.17.0';

export const fillsFromRelease = (release: string): boolean => {
  const [own, first] = [releaseOfText(release), releaseOfText(FIRST_RELEASE)];
  return own !== undefined && first !== undefined && own >= first;
};
