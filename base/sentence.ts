/** A message of a condition as a sentence that stands beside others. */
export const sentence = (message: string): string =>
  message === ''
    ? ''
    : `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
