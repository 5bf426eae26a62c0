/** Stored sections that do not fit together: the store returned other data than it was given. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly code = 'checkpoint_inconsistent';
}

export function check(condition: boolean, message: string): asserts condition {
  if (!condition) {
    throw new CheckpointError(
      `the checkpoint's tables do not fit together: ${message}; restore the replica from a backup or another replica`,
    );
  }
}
