import { expect, test } from '@jest/globals';
import { plain } from './plain.ts';

test('text of others stays on its line, in its direction', () => {
  for (const sign of ['\r\n', '\0', '\u0085', '\u061c', '\u200f', '\u2028', '\u202e', '\u2067']) {
    expect(plain(`Acme${sign}Bcc: all@example.com`)).toBe('Acme Bcc: all@example.com');
  }
});
