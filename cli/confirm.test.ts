import { expect, test } from '@jest/globals';
import { confirmByName } from './confirm.ts';
import { ExitCode } from './exit-code.ts';
import { Input } from './input.ts';

const confirmed = (word: string) =>
  new Input(new Set(['confirm']), new Map([['confirm', [word]]]), []);

test('only the name confirms, and nothing typed confirms nothing, not even where a name is empty', async () => {
  await confirmByName(confirmed('payments'), 'payments');
  for (const [word, name] of [
    ['payment', 'payments'],
    ['', 'payments'],
    ['', ''],
  ] as const) {
    const failure = { fields: { exitCode: ExitCode.Usage } };
    await expect(confirmByName(confirmed(word), name)).rejects.toMatchObject(failure);
  }
});
