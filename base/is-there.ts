import { stat } from 'node:fs/promises';

/** Whether a file or folder exists at `path`. Rejects with the system's error if that cannot be determined. */
export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    },
  );
