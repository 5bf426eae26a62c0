/**
 * The token with which an installer becomes the local administrator. It is read each time, because the Secret behind it may
 * change.
 */
import { timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { hashOf } from '../auth/api-key-format.ts';

/** Shorter tokens could be guessed. */
const lengthMin = 20;

export async function isBootstrapToken(
  file: string | undefined,
  token: string,
  logger: Logger,
): Promise<boolean> {
  const known = file === undefined ? '' : await contentOf(file, logger);
  const same = timingSafeEqual(hashOf(token.trim()), hashOf(known));
  return same && known.length >= lengthMin;
}

async function contentOf(file: string, logger: Logger): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    logger.error({ err: error }, 'the bootstrap token cannot be read');
    return '';
  }
}
