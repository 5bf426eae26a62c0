/**
 * `make soak MINUTES=60`: long runs with faults, one after another with new seeds, until the time is over. Each is the long form
 * of a suite that the ladder runs briefly: chaos with three and six replicas, kills under load, archiving of six, the simulated log,
 * histories and plans of the operator, requests at the bounds of the API's document. Beside them, for the whole time and at a lower priority, one engine under adversarial clients must stay
 * within its pod's memory. At the first difference it ends and prints the command that repeats it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

interface Round {
  readonly title: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const jest = (path: string) => ['node_modules/.bin/jest', '--runInBand', path];

const adversaries = (seed: number, minutes: number): Round => ({
  title: 'adversarial clients, beside all others',
  command: ['test/soak/main.ts', `--seed=${seed}`, `--minutes=${minutes}`],
  env: {},
});

const rounds = (seed: number, minutes: number): readonly Round[] => [
  {
    title: 'three replicas under faults',
    command: ['test/chaos/main.ts', `--seed=${seed}`, `--minutes=${minutes}`, '--replicas=3'],
    env: {},
  },
  {
    title: 'kills under load',
    command: jest('test/crash/kill-under-load'),
    env: { CRASH_ROUNDS: '40' },
  },
  {
    title: 'the simulated log',
    command: jest('engine/log/replicated/replicated-log'),
    env: { LOG_SEED: String(seed), LOG_SEEDS: '2000' },
  },
  {
    title: 'histories and plans of the operator',
    command: jest('operator/ledgerdatabase/.*property'),
    env: { HISTORIES: '6000', OBSERVATIONS: '15000' },
  },
  {
    title: 'requests that nobody thought of, at all bounds of the document',
    command: jest('test/integration/api/fuzz'),
    env: { LEDGERHOUSE_FUZZ_SEED: String(seed), LEDGERHOUSE_FUZZ_SHARE: '1' },
  },
  {
    title: 'six replicas under faults',
    command: ['test/chaos/main.ts', `--seed=${seed}`, `--minutes=${minutes}`, '--replicas=6'],
    env: {},
  },
  {
    title: 'six replicas that are archived, through failovers',
    command: jest('test/replication/archiving'),
    env: { REPLICAS: '6', KILLS: '30' },
  },
];

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '' } } });
  const minutes = Number(values.minutes === '' ? '60' : values.minutes);
  if (!(minutes > 0)) {
    console.error('usage: make soak MINUTES=number');
    return 2;
  }
  const endsAt = Date.now() + minutes * 60_000;
  const beside = adversaries(randomInt(2 ** 31), minutes);
  const attacked = start(beside, ['nice', '-n', '10']);
  try {
    while (Date.now() < endsAt && !hasFailed(attacked)) {
      const seed = randomInt(2 ** 31);
      for (const round of rounds(seed, Math.min(10, minutes))) {
        const leftMs = endsAt - Date.now();
        if (leftMs <= 0 || hasFailed(attacked)) break;
        console.log(
          `\n== ${round.title}, seed ${seed}, ${Math.ceil(leftMs / 60_000)} minutes left`,
        );
        if (!(await isClean(start(round), round))) return 1;
      }
    }
    console.log(`\n== ${beside.title}`);
    if (!(await isClean(attacked, beside))) return 1;
  } finally {
    attacked.kill('SIGTERM');
  }
  console.log(`\n${minutes} minutes of faults: no difference`);
  return 0;
}

function start({ command, env }: Round, before: readonly string[] = []): ChildProcess {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const [program = '', ...args] = [...before, process.execPath, ...flags, ...command];
  return spawn(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;
const hasFailed = (child: ChildProcess): boolean => hasEnded(child) && child.exitCode !== 0;

/** Resolves when the run has ended, with whether it found no difference; prints the command that repeats one. */
async function isClean(child: ChildProcess, { command, env }: Round): Promise<boolean> {
  if (!hasEnded(child)) await once(child, 'exit');
  if (child.exitCode === 0) return true;
  const set = Object.entries(env).map(([name, value]) => `${name}=${value} `);
  console.error(`a difference was found; to repeat it: ${set.join('')}node ${command.join(' ')}`);
  return false;
}

process.exitCode = await main();
