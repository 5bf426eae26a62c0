/** The `ledgerhouse` command: reads the command line, runs its command, and exits with the status that the command returns. */
import { programVersion } from '../base/program-version.ts';
import { systemTimers } from '../base/timers.ts';
import { readCommandLine } from './command-line.ts';
import { commands } from './commands.ts';
import { readEnvironment } from './config.ts';
import type { Context, Service } from './context.ts';
import { ExitCode } from './exit-code.ts';
import { CliFailure, failureDocument, failureText } from './failure.ts';
import { helpText } from './help.ts';
import type { Input } from './input.ts';
import { processOutput, resultLost } from './output/output.ts';
import { printableLines } from './output/printable.ts';
import type { Settings } from './settings.ts';

async function main(words: readonly string[]): Promise<number> {
  // Not a command of the table: shells call it with an unfinished command line.
  if (words[0] === '__complete') {
    const { complete, completionText } = await import('./completion/complete.ts');
    process.stdout.write(completionText(complete(commands, words.slice(1))));
    return ExitCode.Ok;
  }
  const line = readCommandLine(commands, words);
  if (line.kind === 'help') {
    process.stdout.write(helpText(line.place));
    return ExitCode.Ok;
  }
  const handler = await line.place.node.load();
  return handler(contextFor(line.input), line.input);
}

function contextFor(input: Input): Context {
  const environment = readEnvironment();
  const output = processOutput({ quiet: input.has('quiet'), verbose: input.has('verbose') });
  const version = programVersion();
  let service: Promise<Service> | undefined;
  const freshSettings = async (): Promise<Settings> => {
    // Loaded here, so that commands without a service start faster.
    const { resolveSettings } = await import('./settings.ts');
    const { signIn, ...resolved } = resolveSettings(input, environment);
    if (signIn === undefined) return resolved;
    const { freshAccessToken } = await import('./sign-in.ts');
    const apiKey = await freshAccessToken(environment.configFile, signIn.profile, signIn.kept, {
      baseUrl: resolved.baseUrl,
      timers: systemTimers,
      fetch,
      userAgent: `ledgerhouse-cli/${version}`,
    });
    return { ...resolved, apiKey };
  };
  const connect = async (): Promise<Service> => {
    const [settings, { Exchange }] = await Promise.all([
      freshSettings(),
      import('./http/exchange.ts'),
    ]);
    for (const warning of settings.warnings) output.warn(`warning: ${warning}`);
    const exchange = new Exchange({
      settings,
      freshSettings,
      output,
      version,
      timers: systemTimers,
      random: Math.random,
      fetch,
      retry: !input.has('no-retry'),
    });
    return { settings, exchange, freshSettings };
  };
  return {
    environment,
    output,
    version,
    timers: systemTimers,
    service: () => (service ??= connect()),
  };
}

/** A bug also exits with 1, with a message that says it is a bug. */
function fail(error: unknown, words: readonly string[]): ExitCode {
  const failure =
    error instanceof CliFailure
      ? error
      : new CliFailure({
          exitCode: ExitCode.General,
          code: 'bug',
          title: 'A bug of this tool',
          detail: error instanceof Error ? `a bug: ${error.stack ?? error.message}` : 'a bug',
          nextSteps: ['report it with the lines above'],
        });
  // Read from the words, because the command line itself may be wrong.
  const end = words.indexOf('--');
  if (words.slice(0, end < 0 ? words.length : end).includes('--json')) {
    process.stdout.write(`${JSON.stringify(failureDocument(failure), undefined, 2)}\n`);
  } else {
    process.stderr.write(`${printableLines(failureText(failure))}\n`);
  }
  return failure.fields.exitCode;
}

// `ledgerhouse … | head` is no failure: the reader has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? ExitCode.Ok);
  process.exit(fail(resultLost(error), []));
});
// `2>&1 | head` is no failure either: the command finishes and keeps its exit status, though nobody reads its notes.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const words = process.argv.slice(2);
try {
  process.exitCode = await main(words);
} catch (error) {
  process.exitCode = fail(error, words);
}
