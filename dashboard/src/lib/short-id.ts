/** Digits that an ID in a row may have before its middle is out of sight. */
export const wholeIdMax = 20;

/** Characters that an ID takes in a column. */
export const shortIdLength = (id: string): number => Math.min(id.length, wholeIdMax);

/** Characters that a code with its name, or flags, take in a column: the amounts beside them are not pushed out of sight. */
export const wordsMax = 32;

export const wordsLength = (text: string): number => Math.min(text.length, wordsMax);
