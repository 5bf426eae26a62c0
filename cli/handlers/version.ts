import type { Handler } from '../command.ts';
import { ExitCode } from '../exit-code.ts';

export const printVersion: Handler = ({ output, version }, input) => {
  output.result(
    input.has('json') ? `${JSON.stringify({ version })}\n` : `ledgerhouse ${version}\n`,
  );
  return ExitCode.Ok;
};
