// oxlint-disable-next-line eslint/no-control-regex -- control characters are what is looked for
const unwanted = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/**
 * Cleans text that others chose, for a mail: line ends and control characters are removed, because they could forge a mail, and so are
 * characters that turn the direction of writing, because they make a line look like another.
 */
export const plain = (text: string): string => text.replaceAll(unwanted, ' ');
