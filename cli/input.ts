/** Options and arguments given to a command, read by the names that its data declares. */
import { assert } from '../base/assert.ts';

export class Input {
  readonly #declared: ReadonlySet<string>;
  readonly #values: ReadonlyMap<string, readonly string[]>;
  readonly arguments: readonly string[];

  /** `values` has an entry for each given option; that of a switch is empty. */
  constructor(
    declared: ReadonlySet<string>,
    values: ReadonlyMap<string, readonly string[]>,
    givenArguments: readonly string[],
  ) {
    this.#declared = declared;
    this.#values = values;
    this.arguments = givenArguments;
  }

  /** The argument at `index`. The parser has checked that it exists. */
  argument(index: number): string {
    const value = this.arguments[index];
    assert(value !== undefined, `argument ${index} is required`);
    return value;
  }

  /** Whether the command has this option, given or not. */
  declares(name: string): boolean {
    return this.#declared.has(name);
  }

  has(name: string): boolean {
    return this.#of(name) !== undefined;
  }

  text(name: string): string | undefined {
    return this.#of(name)?.[0];
  }

  list(name: string): readonly string[] {
    return this.#of(name) ?? [];
  }

  #of(name: string): readonly string[] | undefined {
    assert(this.#declared.has(name), `the command declares no option ${name}`);
    return this.#values.get(name);
  }
}
