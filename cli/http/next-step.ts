/** Adds what to do next to a problem that only the command can explain. */
import { CliFailure } from '../failure.ts';

/** Waits for `work`; if it fails with the problem `code`, the failure also has `steps`. */
export async function explained<T>(
  work: Promise<T>,
  code: string,
  ...steps: readonly string[]
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof CliFailure && error.fields.code === code
      ? error.withNextSteps(...steps)
      : error;
  }
}
