/**
 * Runs the ladder of tests: `node tools/test/ladder.ts [STAGE …]`, all stages by default. Prints where time went, names
 * what failed with the log that shows it, and ends with one line `N passed, N failed` (`, N skipped` when there are some).
 */
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { stages, type Stage } from './stages.ts';
import { closingLine, summarize, type JestReport, type StageResult } from './summary.ts';

const logFolder = '.ledgerhouse/test';

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    console.error(`no stage ${unknown.join(', ')}; stages: ${stages.map((s) => s.name).join(' ')}`);
    return 2;
  }
  mkdirSync(logFolder, { recursive: true });
  const results: StageResult[] = [];
  const times: string[] = [];
  const climb = async (stage: Stage) => {
    const started = Date.now();
    console.log(`\n== ${stage.name}: ${stage.title}`);
    const result = await runStage(stage);
    const seconds = Math.round((Date.now() - started) / 1000);
    const counts = `${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped`;
    times.push(`${stage.name.padEnd(14)}${String(seconds).padStart(5)} s   ${counts}`);
    for (const failure of result.failures) console.log(`   FAILED ${stage.name} ${failure}`);
    if (result.failed > 0) console.log(`   the log: ${logOf(stage)}`);
    results.push(result);
  };
  const chosen = stages.filter(
    ({ name, folder }) =>
      (names.length === 0 || names.includes(name)) &&
      // A stage appears with its first suite.
      (folder === undefined || globSync(`${folder}/**/*.test.ts`).length > 0),
  );
  const inOrder = async () => {
    for (const stage of chosen) if (stage.beside !== true) await climb(stage);
  };
  await Promise.all([inOrder(), ...chosen.filter(({ beside }) => beside).map(climb)]);
  console.log(`\nwhere time went\n${times.join('\n')}\n`);
  console.log(closingLine(results));
  return results.some((r) => r.failed > 0) || results.length === 0 ? 1 : 0;
}

const logOf = (stage: Stage) => `${logFolder}/${stage.name}.log`;

async function runStage(stage: Stage): Promise<StageResult> {
  const reportFile = `${logFolder}/${stage.name}.json`;
  rmSync(reportFile, { force: true });
  const where = stage.folder ?? 'unit';
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--json',
    `--outputFile=${reportFile}`,
    `--maxWorkers=${stage.workers}`,
    '--verbose',
    // A suite that leaves something open must not hold the ladder; the deadline below is the last resort.
    '--forceExit',
    ...(stage.folder === undefined
      ? [
          '--testPathIgnorePatterns',
          `/(${stages.flatMap(({ folder }) => folder ?? []).join('|')})/`,
        ]
      : [`--testPathPatterns=${where}/`]),
  ];
  const exit = await runToEnd(stage, args);
  const report = existsSync(reportFile)
    ? (JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport)
    : undefined;
  return summarize(report, exit);
}

/** Runs Jest, its people's output (stderr) shown and logged, its own report on stdout only logged. */
function runToEnd(
  stage: Stage,
  args: readonly string[],
): Promise<{ code: number | null; timedOut: boolean }> {
  return new Promise((resolve) => {
    const log = createWriteStream(logOf(stage));
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    let timedOut = false;
    const deadline = setTimeout(() => {
      timedOut = true;
      // The whole group: Jest's workers and what they started.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, stage.deadlineMinutes * 60_000);
    child.stderr.on('data', (chunk: Buffer) => {
      log.write(chunk);
      process.stderr.write(chunk);
    });
    child.on('close', (code) => {
      clearTimeout(deadline);
      log.end(() => resolve({ code, timedOut }));
    });
  });
}

process.exitCode = await main(process.argv.slice(2));
