import type { Handler } from '../command.ts';
import { completionScripts, isShell } from '../completion/scripts.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';

export const printCompletion: Handler = ({ output }, input) => {
  const shell = input.argument(0);
  if (!isShell(shell)) {
    throw usageFailure(`"${shell}" is not a known shell; known are bash, zsh and fish`);
  }
  output.result(completionScripts[shell]);
  return ExitCode.Ok;
};
