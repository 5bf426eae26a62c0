/** Generates the reference page of the command-line tool from the table of commands. */
import { globalOptions, type Command, type Option, type Place } from '../../cli/command.ts';
import { placesOf } from '../../cli/command-line.ts';
import { commands } from '../../cli/commands.ts';
import { exitCodeMeanings } from '../../cli/exit-code.ts';
import { optionTitle, program, usage } from '../../cli/help.ts';
import type { Generator } from './generator.ts';

export const cliReference: Generator = () =>
  Promise.resolve({
    'docs/reference/cli.md': `${[
      '<!-- Generated from cli/ by `make gen`. Not to be edited. -->',
      '# Command-line tool',
      introduction,
      '## Flags of every command',
      optionTable(globalOptions),
      '## Exit statuses',
      exitTable,
      '## Commands',
      ...placesOf(commands).map(section),
    ].join('\n\n')}\n`,
  });

const introduction = `\`${program}\` prints results on standard output, and everything else (notes, progress, questions) on standard error.

**Service and key.** A flag overrides the environment, the environment overrides the profile:

| | Flag | Environment | Profile |
|---|---|---|---|
| base URL | \`--base-url\` | \`LEDGERHOUSE_BASE_URL\` | \`${program} config set base-url URL\` |
| API key | \`--api-key\` | \`LEDGERHOUSE_API_KEY\` | \`${program} config set api-key\` |
| profile | \`--profile\` | \`LEDGERHOUSE_PROFILE\` | \`${program} config use NAME\` |

Profiles are in \`$XDG_CONFIG_HOME/ledgerhouse/config.json\`, which only its owner may read. \`NO_COLOR\` turns colors off.

**Failures.** With \`--json\`, a failure is one JSON document on standard output: the API's problem (RFC 9457) with \`"outcome": "error"\`
and \`nextSteps\`. The problem's own \`outcome\`, \`unknown\` or \`not_executed\`, is \`ledgerOutcome\` there.

**Trying again.** After 429, 502, 503, 504 and broken connections a command is tried again, three times at most, after the wait
in \`Retry-After\` or a growing one; \`--no-retry\` turns that off. Ledger operations may be repeated because events have
IDs: a repeated event is found to exist. All other POSTs send an \`Idempotency-Key\`, so they are executed once, and
a retry also returns a secret whose answer was lost. \`ledgerhouse api POST\` is not repeated once it may have arrived.`;

const exitTable = [
  '| Status | Means |',
  '|---|---|',
  ...Object.entries(exitCodeMeanings).map(([code, meaning]) => `| ${code} | ${meaning} |`),
].join('\n');

function section({ node, words }: Place<Command>): string {
  return [
    `### ${words.join(' ')}`,
    [`${node.summary}.`, ...(node.description === undefined ? [] : [node.description])].join(' '),
    ['```sh', usage(node, words), '```'].join('\n'),
    ...(node.options.length === 0 ? [] : [optionTable(node.options)]),
    [
      '```sh',
      ...node.examples.map(
        ({ command, says }) => `${says === undefined ? '' : `# ${says}\n`}${program} ${command}`,
      ),
      '```',
    ].join('\n'),
  ].join('\n\n');
}

const optionTable = (options: readonly Option[]): string =>
  ['| Flag | Meaning |', '|---|---|', ...options.map(optionRow)].join('\n');

const optionRow = (option: Option): string => {
  const choices = (option.choices ?? []).map((choice) => `\`${choice}\``).join(', ');
  return `| \`${optionTitle(option)}\` | ${option.summary}${choices === '' ? '' : `: ${choices}`} |`;
};
