interface Pages {
  readonly pages: readonly { readonly data: readonly unknown[] }[];
}

/** A list keeps its rows while those of another filter are read. If it has none, nothing is known of the other filter. */
export const keptRows = <T extends Pages>(before: T | undefined): T | undefined =>
  before?.pages.some(({ data }) => data.length > 0) === true ? before : undefined;
