/** One run, in the namespaces that main.ts made for it. */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { judge, type Verdict } from './checker.ts';
import { eventsIn } from './contents.ts';
import { newAuthority, writeCertificates } from '../support/engine/peer-certificates.ts';
import { Disks } from './disks.ts';
import { History } from './history.ts';
import { compareExports, level, readBack } from './last-look.ts';
import { Load } from './load.ts';
import { newNetwork } from './network.ts';
import { Pair, PEER_NAME, Port } from './pair.ts';
import { Player, type Played, type World } from './player.ts';
import { faultsOf, told } from './schedule.ts';
import { TrueTime } from './true-time.ts';
import { reasonsOf, Watcher, type Reign } from './watcher.ts';

interface RunOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly replicas: number;
  readonly folder: string;
  readonly isolated: boolean;
}

/** Memory limit of an engine: a ledger of a few hundred thousand rows, its checkpoint and the requests on their way. */
const ENGINE_MAX_BYTES = 1.5 * 2 ** 30;
/** The memory limit that the catalog gives the member's container. */
const ETCD_MAX_BYTES = 2 * 2 ** 30;
const DISK_MAX_BYTES = 1.4 * 2 ** 30;
/** No answer for so long while a majority is left alone is a hang, however busy the machine is. */
const GAP_MAX_MS = 120_000;
/** Shorter runs leave out the longest faults. */
const LONG_MINUTES = 3;
const CLIENTS = 6;
const EXPIRED_AFTER_MS = 4500;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

export async function run(options: RunOptions): Promise<number> {
  const { seed, minutes, replicas } = options;
  say(`chaos: SEED=${seed} MINUTES=${minutes} REPLICAS=${replicas}`);
  const world = await begin(options);
  const watcher = new Watcher(world);
  const { history, load } = world;
  const played: Played[] = [];
  const endAll = () => Promise.all(world.pairs.map((pair) => pair.end('both', 'SIGKILL')));
  process.once('SIGTERM', () => void endAll().then(() => process.exit(1)));
  try {
    await load.start();
    watcher.start();
    await playAll(world, { seed, minutes, played, watcher });
  } catch (error) {
    history.wrong.push(error instanceof Error ? error.message : String(error));
  }
  const code = await finish(world, { ...options, watcher, played });
  await endAll();
  return code;
}

async function begin({ seed, replicas, folder, isolated }: RunOptions): Promise<World> {
  const time = new TrueTime(replicas);
  const history = new History(time);
  const network = await newNetwork(replicas, isolated);
  const cgroup = join('/sys/fs/cgroup/blkio', basename(folder));
  const disks = await Disks.make({ folder, size: replicas, isolated, cgroup });
  const etcdProgram = await ensureProgram('etcd');
  const onEnd = (what: string): void => void history.wrong.push(what);
  const certificates = join(folder, 'certs');
  await writeCertificates(certificates, {
    authority: await newAuthority('authority of chaos'),
    name: PEER_NAME,
  });
  const place = { size: replicas, folder, network, disks };
  const common = { time, ...place, etcdProgram, certificates, onEnd };
  const pairs = Array.from({ length: replicas }, (_, index) => new Pair({ ...common, index }));
  for (const pair of pairs) {
    pair.setClock(0);
    await pair.format();
  }
  for (const pair of pairs) pair.start('both');
  const addresses = pairs.map(({ index }) => ({
    host: network.address(index),
    port: Port.clients,
  }));
  const load = new Load({ addresses, history, seed, clients: CLIENTS });
  return { pairs, network, disks, load, history };
}

async function playAll(
  world: World,
  { seed, minutes, played, watcher }: Pick<RunOptions, 'seed' | 'minutes'> & Progress,
): Promise<void> {
  const player = new Player(world);
  let reigns = watcher.reigns().length;
  const { history } = world;
  const [began, until] = [performance.now(), performance.now() + minutes * 60_000];
  const left = new Set<string>();
  for (const fault of faultsOf(seed, { long: minutes >= LONG_MINUTES })) {
    if (performance.now() > until || history.wrong.length > 0) break;
    const why = fault.plays
      .map((play) => player.impossible(play))
      .find((each) => each !== undefined);
    const at = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
    if (why !== undefined) {
      left.add(why);
      say(`${at} s  left out (${why}): ${told(fault)}`);
      continue;
    }
    const result = await player.play(fault);
    played.push(result);
    const since = watcher.reigns().slice(reigns);
    reigns += since.length;
    say(
      `${at} s  ${told(fault)}; nobody answered for ${Math.round(result.gapMs)} ms, one client not for ${Math.round(result.waitMs)} ms; back after ${Math.round(result.backMs)} ms; ${since.length} reigns (${reasonsOf(since)})`,
    );
    if (result.majorityKept && result.gapMs > GAP_MAX_MS)
      history.wrong.push(`${Math.round(result.gapMs)} ms without an answer, with a majority`);
  }
  for (const why of left) say(`left out: what needs more than this machine gives (${why})`);
  await player.joined();
}

interface Progress {
  readonly played: Played[];
  readonly watcher: Watcher;
}

interface Ending extends RunOptions {
  readonly watcher: Watcher;
  readonly played: readonly Played[];
}

async function finish(world: World, ending: Ending): Promise<number> {
  const { history, load } = world;
  const { watcher, played, folder } = ending;
  const before = history.wrong.length;
  let verdict: Verdict | undefined;
  let op = 0;
  try {
    await load.stop();
    // Transfers that are still pending with a timeout expire.
    await sleep(EXPIRED_AFTER_MS);
    const contents = await readBack(world);
    const status = await level(world);
    ({ op } = status);
    await watcher.stop();
    history.wrong.push(...(await compareExports(world, { folder, contents })));
    const reigns = watcher.checkLeaders();
    checkPeaks(world, watcher);
    // Expiries after the last acknowledged write, too.
    for (const newest of eventsIn(contents).slice(-1))
      history.judgeTime(newest['timestamp']!, 'the newest event');
    verdict = await judge(history, contents);
    say(figures({ verdict, played, watcher, reigns, world }));
    say(`at the end: op ${op} everywhere, state ${status.stateHash}`);
    if (verdict.stateHash === status.stateHash) say('the history explains the state hash');
  } catch (error) {
    if (before === 0 || verdict === undefined)
      history.wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const differences = verdict?.differences ?? history.wrong;
  if (differences.length > 0 && verdict !== undefined)
    writeFileSync(join(folder, 'history.txt'), `${verdict.order().join('\n')}\n`);
  for (const difference of differences) say(`DIFFERENCE: ${difference}`);
  say(differences.length === 0 ? 'no difference found' : `${differences.length} differences`);
  return differences.length === 0 ? 0 : 1;
}

function checkPeaks({ history }: World, { peaks }: Watcher): void {
  const limits = [
    ['an engine', peaks.engineBytes, ENGINE_MAX_BYTES],
    ['a member', peaks.etcdBytes, ETCD_MAX_BYTES],
    ['a disk', peaks.diskBytes, DISK_MAX_BYTES],
  ] as const;
  for (const [name, bytes, limit] of limits)
    if (bytes > limit)
      history.wrong.push(`${name} took ${mebibytes(bytes)} of ${mebibytes(limit)}`);
}

function figures(options: {
  verdict: Verdict;
  played: readonly Played[];
  watcher: Watcher;
  reigns: readonly Reign[];
  world: World;
}): string {
  const { verdict, played, watcher, reigns, world } = options;
  const { peaks } = watcher;
  const gaps = (kept: boolean): string => {
    const these = played.filter(({ majorityKept }) => majorityKept === kept);
    const spread = (values: readonly number[]): string => {
      const sorted = values.map(Math.round).sort((a, b) => a - b);
      return `p50 ${sorted[sorted.length >> 1] ?? 0}, longest ${sorted.at(-1) ?? 0} ms`;
    };
    const [gap, wait] = [these.map(({ gapMs }) => gapMs), these.map(({ waitMs }) => waitMs)];
    return `${these.length} faults; nobody answered: ${spread(gap)}; one client not: ${spread(wait)}`;
  };
  const back = Math.max(0, ...played.map(({ backMs }) => Math.round(backMs)));
  return [
    `faults played: ${played.length}; reigns: ${reigns.length} (${reasonsOf(reigns)})`,
    `acknowledged writes: ${verdict.acknowledged} (official client ${world.load.official}); reads: ${verdict.reads}`,
    `unknown: ${verdict.unknownExecuted} executed, ${verdict.unknownNot} not; pulses: ${verdict.pulses}; old requests sent again: ${world.load.replayed}`,
    `a majority left alone: ${gaps(true)}`,
    `no majority: ${gaps(false)}; back after ${back} ms at most`,
    `most memory: engine ${mebibytes(peaks.engineBytes)}, member ${mebibytes(peaks.etcdBytes)}; disk ${mebibytes(peaks.diskBytes)}`,
  ].join('\n');
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
