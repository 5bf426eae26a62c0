/** Candidates for the last word of a command line: the answer to the shells' completion scripts. */
import { globalOptions, type Group, type Node, type Option } from '../command.ts';
import { locate, takesNextWord } from '../command-line.ts';

export interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** `words`: the command line up to the cursor; the last one may be unfinished or empty. */
export function complete(root: Group, words: readonly string[]): readonly Candidate[] {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const { place, rest } = locate(root, before);
  return candidates(place.node, rest, current).filter(({ word }) => word.startsWith(current));
}

/** One line for each candidate: the word, a tab, its summary. */
export const completionText = (found: readonly Candidate[]): string =>
  found.map(({ word, summary }) => `${word}\t${summary}\n`).join('');

function candidates(node: Node, rest: readonly string[], current: string): readonly Candidate[] {
  const options = [...globalOptions, ...(node.kind === 'command' ? node.options : [])];
  const previous = rest.at(-1);
  if (previous !== undefined && takesNextWord(previous, options)) {
    return choicesOf(optionNamed(previous, options)?.choices ?? [], previous);
  }
  if (current.startsWith('-')) {
    return options
      .filter(({ name, repeatable }) => repeatable === true || !rest.includes(`--${name}`))
      .map(({ name, summary }) => ({ word: `--${name}`, summary }));
  }
  if (node.kind === 'group') {
    // After an unknown word there are no candidates.
    const isLost = rest.some((word, at) => !word.startsWith('-') && !isValue(rest, at, options));
    return isLost ? [] : node.children.map(({ name, summary }) => ({ word: name, summary }));
  }
  const given = rest.filter((word, at) => !word.startsWith('-') && !isValue(rest, at, options));
  return choicesOf(node.arguments[given.length]?.choices ?? [], node.arguments[given.length]?.name);
}

const isValue = (rest: readonly string[], at: number, options: readonly Option[]): boolean =>
  at > 0 && takesNextWord(rest[at - 1] ?? '', options);

const optionNamed = (word: string, options: readonly Option[]): Option | undefined =>
  options.find(({ name, short }) => word === `--${name}` || word === `-${short ?? ''}`);

const choicesOf = (choices: readonly string[], of: string | undefined): readonly Candidate[] =>
  choices.map((word) => ({ word, summary: of ?? '' }));
