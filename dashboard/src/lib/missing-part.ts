/** A page of the dashboard that the service did not send. */
export class MissingPart extends Error {
  override readonly name = 'MissingPart';

  constructor(cause: unknown) {
    super(
      'The service may be in the middle of an update, or the connection is lost. Try again in a minute.',
      { cause },
    );
  }
}

/**
 * Loads a page. Its absence is told in words of our own: of the browser's the router would load everything anew by itself, and
 * ask a storage that the browser may refuse whether it did. `new-build.ts` decides that.
 */
export const wholePart =
  <T>(load: () => Promise<T>): (() => Promise<T>) =>
  async () => {
    let part: T;
    try {
      part = await load();
    } catch (error) {
      throw new MissingPart(error);
    }
    // Nothing comes in its place while everything is loaded anew.
    return part === undefined ? new Promise<never>(() => {}) : part;
  };
