/** Cleans text that others chose, for a mail: line ends and control characters are removed, because they could forge a mail. */
export const plain = (text: string): string =>
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what is looked for
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
