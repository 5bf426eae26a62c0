/**
 * Ends the operation when a fact that the code relies on does not hold.
 * Kept in production: going on from a broken invariant could corrupt records.
 */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** A bug in this program, never a mistake of its user or a failure of its environment. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** Marks a branch that the types rule out; a new variant then fails to compile where it is not handled. */
export function assertNever(value: never): never {
  throw new AssertionError(`unexpected value: ${JSON.stringify(value)}`);
}
