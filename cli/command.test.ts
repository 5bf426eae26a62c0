import { expect, test } from '@jest/globals';
import { findCommand, helpText, type Command } from './command.ts';

const command: Command = { name: 'version', summary: 'Print the version', run: () => 0 };

test.each([undefined, '--help', '-h', 'help'])('%s asks for help', (word) => {
  expect(findCommand([command], word)).toEqual({ kind: 'help' });
});

test('a command is found by its name, also written as an option', () => {
  expect(findCommand([command], 'version')).toEqual({ kind: 'command', command });
  expect(findCommand([command], '--version')).toEqual({ kind: 'command', command });
  expect(findCommand([command], 'verison')).toEqual({ kind: 'unknown' });
});

test('help names every command with what it does', () => {
  expect(helpText([command])).toContain('version     Print the version');
});
