/** Small volumes that a test may fill. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PIECE_BYTES = 2 ** 20;

export function mountVolume(folder: string, sizeBytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', folder], {
    stdio: 'pipe',
  });
}

export function unmountVolume(folder: string): void {
  execFileSync('umount', [folder]);
}

/** Whether this process may mount a volume. If not, the log says that a test is skipped. */
export function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-mount-'));
  try {
    mountVolume(folder, PIECE_BYTES);
    unmountVolume(folder);
    return true;
  } catch (error) {
    process.stderr.write(`skipped: no tmpfs may be mounted here (${String(error)})\n`);
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A volume of XFS in a file of the folder: where it is mounted, or `undefined` where this process may not, which the log then says. */
export function mountXfs(folder: string, sizeBytes: number): string | undefined {
  const [image, volume] = [join(folder, 'image'), join(folder, 'volume')];
  mkdirSync(volume);
  writeFileSync(image, '');
  truncateSync(image, sizeBytes);
  try {
    execFileSync('mkfs.xfs', ['-q', image], { stdio: 'pipe' });
    execFileSync('mount', ['-o', 'loop', image, volume], { stdio: 'pipe' });
    return volume;
  } catch (error) {
    process.stderr.write(`skipped: no XFS may be mounted here (${String(error)})\n`);
    return undefined;
  }
}

/** Fills the volume until `leftBytes` are free. */
export function fillUp(volume: string, leftBytes: number): void {
  const { bavail, bsize } = statfsSync(volume);
  const piece = new Uint8Array(PIECE_BYTES);
  for (let more = bavail * bsize - leftBytes; more > 0; more -= piece.length)
    writeFileSync(ballastOf(volume), piece.subarray(0, more), { flag: 'a' });
}

/** Frees what `fillUp` took. */
export const makeRoom = (volume: string): void => rmSync(ballastOf(volume));

const ballastOf = (volume: string): string => join(volume, 'ballast');
