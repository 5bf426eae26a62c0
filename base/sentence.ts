/** Turns a condition's message into a sentence. */
export const sentence = (message: string): string =>
  message === ''
    ? ''
    : `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
