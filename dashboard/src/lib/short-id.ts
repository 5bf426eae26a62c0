/** Digits that an ID in a row may have before its middle is out of sight. */
export const wholeIdMax = 20;

/** Characters that an ID takes in a column. */
export const shortIdLength = (id: string): number => Math.min(id.length, wholeIdMax);
