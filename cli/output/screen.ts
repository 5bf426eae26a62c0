/**
 * Shows one text after the other. On a terminal each text replaces the one before, on a screen of its own that `close` takes
 * away; elsewhere each is printed below the other, without any control character.
 */
import type { Output } from './output.ts';

const opened = '\u001B[?1049h\u001B[?25l';
const closed = '\u001B[?25h\u001B[?1049l';
const home = '\u001B[H';
const clearLine = '\u001B[K';
const clearBelow = '\u001B[J';

export class Screen {
  readonly #output: Pick<Output, 'result' | 'isTerminal'>;
  #isOpen = false;
  #last = '';

  constructor(output: Pick<Output, 'result' | 'isTerminal'>) {
    this.#output = output;
  }

  show(text: string): void {
    const { isTerminal } = this.#output;
    if (!isTerminal) {
      this.#output.result(this.#last === '' ? text : `\n${text}`);
    } else {
      // Overwrites the old text without clearing it first: a cleared screen flickers.
      const lines = text.replaceAll('\n', `${clearLine}\n`);
      this.#output.result(`${this.#isOpen ? '' : opened}${home}${lines}${clearBelow}`);
      this.#isOpen = true;
    }
    this.#last = text;
  }

  /** Restores the terminal, and leaves the last text on it. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#output.result(closed + this.#last);
  }
}
