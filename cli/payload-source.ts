/** Sources of a request's body, in this order: `--file`, `--payload`, flags. */
import { readFileSync, statSync } from 'node:fs';
import { CliFailure, usageFailure } from './failure.ts';
import { ExitCode } from './exit-code.ts';
import type { Input } from './input.ts';
import type { Output } from './output/output.ts';

/**
 * Returns the bytes of the given payload unchecked; `undefined` if flags build it. `replaced` names the flags that a payload
 * replaces; a user who gives both gets a note.
 */
export async function givenPayload(
  input: Input,
  output: Output,
  replaced: readonly string[],
): Promise<Uint8Array | undefined> {
  const file = input.text('file');
  const payload = input.text('payload');
  const source = file === undefined ? '--payload' : '--file';
  if (file === undefined && payload === undefined) return undefined;
  const useless = [
    ...(file !== undefined && payload !== undefined ? ['payload'] : []),
    ...replaced.filter((option) => input.has(option)),
  ].map((option) => `--${option}`);
  if (useless.length > 0) {
    output.warn(`warning: ${source} is sent unchanged; ignored: ${useless.join(', ')}`);
  }
  if (file === undefined) return Buffer.from(payload ?? '', 'utf8');
  return file === '-' ? await readStdin() : readPayloadFile(file);
}

/** Eight times the API's maximum: a wrong file is refused before it fills the memory. */
const sizeMax = 64 * 1024 * 1024;

async function readStdin(): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > sizeMax) throw tooLarge('standard input');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function readPayloadFile(file: string): Uint8Array {
  try {
    if (statSync(file).size > sizeMax) throw tooLarge(file);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw usageFailure(`--file ${file} cannot be read (${code})`);
  }
}

const tooLarge = (what: string): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Validation,
    code: 'payload_too_large',
    title: 'The body is too large',
    detail: `${what} is longer than ${sizeMax} bytes`,
    nextSteps: ['send it in several requests'],
  });
