/** Reads a secret from standard input: all of it, or on a terminal one line that is not shown. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

const sizeMax = 4_096;

export async function readSecret(question: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) {
    let text = '';
    stdin.setEncoding('utf8');
    for await (const piece of stdin as AsyncIterable<string>) {
      text += piece;
      if (text.length > sizeMax) break;
    }
    return text;
  }
  process.stderr.write(question);
  // Readline echoes the typed text to its output, so the output is discarded.
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true });
  const closed = new Promise<string>((resolve) => {
    terminal.once('close', () => resolve(''));
  });
  try {
    return await Promise.race([terminal.question(''), closed]);
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
