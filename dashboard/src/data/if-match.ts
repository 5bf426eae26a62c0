/** The header of a write that is refused if what it changes has another ETag by now than the one that a person saw. */
export const ifMatch = (etag: string | undefined): Readonly<Record<string, string>> =>
  etag === undefined ? {} : { 'If-Match': etag };
