import { expect, test } from '@jest/globals';
import { Screen } from './screen.ts';

function screenOn(isTerminal: boolean) {
  const written: string[] = [];
  const screen = new Screen({ isTerminal, result: (text) => void written.push(String(text)) });
  return { screen, written };
}

test('on a terminal a text takes the place of the one before, and the end gives the terminal back', () => {
  const { screen, written } = screenOn(true);
  screen.show('one\ntwo\n');
  screen.show('three\n');
  screen.close();
  screen.close();
  expect(written).toEqual([
    '\u001B[?1049h\u001B[?25l\u001B[Hone\u001B[K\ntwo\u001B[K\n\u001B[J',
    '\u001B[Hthree\u001B[K\n\u001B[J',
    '\u001B[?25h\u001B[?1049lthree\n',
  ]);
});

test('elsewhere texts follow each other, with a blank line between and no control character', () => {
  const { screen, written } = screenOn(false);
  screen.show('one\n');
  screen.show('two\n');
  screen.close();
  expect(written.join('')).toBe('one\n\ntwo\n');
});

test('a terminal on which nothing was shown is left alone', () => {
  const { screen, written } = screenOn(true);
  screen.close();
  expect(written).toEqual([]);
});
