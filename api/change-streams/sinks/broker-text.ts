/** A broker's text as part of a message for people. The text is untrusted. */
const textMax = 300;

export const brokerText = (text: string): string =>
  // Control characters include NUL, which PostgreSQL does not keep.
  // oxlint-disable-next-line no-control-regex -- they are what is meant
  text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, textMax);
