/**
 * Foreign text, safe for a terminal: without control characters, which could overwrite earlier output, and without those that turn
 * the direction of text, which could show it in another order.
 */
export const printable = (text: string): string =>
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what is looked for
  text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** The same for text of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
