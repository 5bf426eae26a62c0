/** The result of a command for the program that ran it: one line of JSON, on stdout and in a file. */
import { writeFile } from 'node:fs/promises';
import { cutText } from '../../../base/cut-text.ts';
import { ArchiveError } from '../../archive/errors.ts';
import { DataFileError } from '../../log/errors.ts';
import type { Flag, Input } from '../verb.ts';

export const resultFlag: Flag = {
  name: 'result',
  value: 'path',
  help: 'a file for the result too, or for the code and message of the error',
};

/** Runs a command and writes its result. An error with a code is written, then rethrown. */
export async function tellResult(input: Input, command: () => Promise<object>): Promise<number> {
  await noteResult(input, async () => {
    const result = await command();
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return result;
  });
  return 0;
}

/** The same for a command that has told its result on stdout already. */
export async function noteResult<Result extends object>(
  input: Input,
  command: () => Promise<Result>,
): Promise<Result> {
  const path = input.flag('result');
  const tell = async (result: object) => {
    if (path !== undefined) await writeFile(path, `${JSON.stringify(result)}\n`);
  };
  try {
    const result = await command();
    await tell(result);
    return result;
  } catch (error) {
    const hasCode = error instanceof ArchiveError || error instanceof DataFileError;
    if (hasCode) await tell({ error: error.code, message: cutText(error.message, 1_000) });
    throw error;
  }
}
