import { stat } from 'node:fs/promises';

/** Whether there is a file or folder of that name. Rejects with the system's error where that cannot be told. */
export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    },
  );
