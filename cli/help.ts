/** Builds the help from the commands' data. */
import { globalOptions, type Command, type Group, type Option, type Place } from './command.ts';

export const program = 'ledgerhouse';

export function helpText({ node, words }: Place): string {
  return node.kind === 'group' ? groupHelp(node, words) : commandHelp(node, words);
}

function groupHelp(group: Group, words: readonly string[]): string {
  const name = [program, ...words].join(' ');
  return [
    `${group.summary}\n`,
    `Usage: ${name} <command> [flags]\n`,
    `Commands:\n${list(group.children.map((child) => [child.name, child.summary]))}`,
    `Flags of every command:\n${list(globalOptions.map(optionRow))}`,
    `Help with examples: ${name} <command> --help\n`,
  ].join('\n');
}

function commandHelp(command: Command, words: readonly string[]): string {
  return [
    `${command.summary}\n`,
    ...(command.description === undefined ? [] : [`${wrap(command.description)}\n`]),
    `Usage: ${usage(command, words)}\n`,
    ...(command.options.length === 0 ? [] : [`Flags:\n${list(command.options.map(optionRow))}`]),
    `Flags of every command:\n${list(globalOptions.map(optionRow))}`,
    `Examples:\n${command.examples
      .map(
        ({ command: line, says }) =>
          `${says === undefined ? '' : `  # ${says}\n`}  ${program} ${line}\n`,
      )
      .join('')}`,
  ].join('\n');
}

export function usage(command: Command, words: readonly string[]): string {
  const parts = command.arguments.map(({ name, optional, repeatable }) => {
    const shown = `<${name}>${repeatable === true ? '...' : ''}`;
    return optional === true ? `[${shown}]` : shown;
  });
  return [program, ...words, ...parts, '[flags]'].join(' ');
}

/** `-b, --base-url <url>` */
export const optionTitle = ({ name, short, value }: Option): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;

const optionRow = (option: Option): readonly [string, string] => [
  `${option.short === undefined ? '    ' : ''}${optionTitle(option)}`,
  option.summary,
];

function list(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}\n`).join('');
}

function wrap(text: string): string {
  return text.replace(/(?![^\n]{1,90}$)([^\n]{1,90})\s/g, '$1\n');
}
