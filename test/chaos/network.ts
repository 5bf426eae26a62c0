/**
 * The replicas' network: a namespace for each, joined by a bridge, in which packets can be dropped one way or both. It
 * exists in the namespaces that main.ts begins, and ends with them. Without the rights every replica has an address of the
 * loopback, and nothing can be dropped.
 */
import { mustRun } from '../support/shell.ts';

/** The clients' side. */
const OUTSIDE = '10.77.0.1';

export interface Network {
  readonly canBeCut: boolean;
  address(replica: number): string;
  /** Wraps the command so that it runs in the replica's network namespace. */
  within(replica: number, command: readonly string[]): readonly [string, readonly string[]];
  /** Drops all packets to `replica` from the replicas `from`. */
  deafen(replica: number, from: readonly number[]): Promise<void>;
  deafenToClients(replica: number): Promise<void>;
  /** Drops a part, 0 … 1, of the packets that come to the replica. */
  lose(replica: number, part: number): Promise<void>;
  /** Limits the replica's outgoing traffic to so many Mbit/s. */
  narrow(replica: number, megabits: number, burst?: string): Promise<void>;
  heal(): Promise<void>;
}

export async function newNetwork(size: number, isolated: boolean): Promise<Network> {
  return isolated ? namespaces(size) : loopback();
}

function loopback(): Network {
  const refuse = (): Promise<void> =>
    Promise.reject(new Error('no rights to cut the network here'));
  const net = 1 + (process.pid % 250);
  return {
    canBeCut: false,
    address: (replica) => `127.77.${net}.${11 + replica}`,
    within: (_, [command = '', ...args]) => [command, args],
    deafen: refuse,
    deafenToClients: refuse,
    lose: refuse,
    narrow: refuse,
    heal: () => Promise.resolve(),
  };
}

async function namespaces(size: number): Promise<Network> {
  const ip = (...args: string[]): Promise<string> => mustRun('ip', args);
  const inside = (replica: number, ...args: string[]): Promise<string> =>
    ip('netns', 'exec', `r${replica}`, ...args);
  const drop = (replica: number, ...match: string[]): Promise<string> =>
    inside(replica, 'iptables', '-w', '-A', 'INPUT', ...match, '-j', 'DROP');
  const address = (replica: number): string => `10.77.0.${11 + replica}`;
  const replicas = Array.from({ length: size }, (_, replica) => replica);
  await ip('link', 'set', 'lo', 'up');
  await ip('link', 'add', 'br0', 'type', 'bridge');
  await ip('address', 'add', `${OUTSIDE}/24`, 'dev', 'br0');
  await ip('link', 'set', 'br0', 'up');
  for (const replica of replicas) {
    await ip('netns', 'add', `r${replica}`);
    const peer = ['peer', 'name', 'eth0', 'netns', `r${replica}`];
    await ip('link', 'add', `v${replica}`, 'type', 'veth', ...peer);
    await ip('link', 'set', `v${replica}`, 'master', 'br0', 'up');
    await inside(replica, 'ip', 'address', 'add', `${address(replica)}/24`, 'dev', 'eth0');
    await inside(replica, 'ip', 'link', 'set', 'eth0', 'up');
    await inside(replica, 'ip', 'link', 'set', 'lo', 'up');
  }
  const narrowed = new Set<number>();
  return {
    canBeCut: true,
    address,
    within: (replica, command) => ['ip', ['netns', 'exec', `r${replica}`, ...command]],
    deafen: async (replica, from) => {
      for (const each of from) if (each !== replica) await drop(replica, '-s', address(each));
    },
    deafenToClients: async (replica) => void (await drop(replica, '-s', OUTSIDE)),
    lose: async (replica, part) => {
      const match = ['-m', 'statistic', '--mode', 'random', '--probability', String(part)];
      await drop(replica, '-i', 'eth0', ...match);
    },
    narrow: async (replica, megabits, burst = '64kb') => {
      narrowed.add(replica);
      const shape = ['rate', `${megabits}mbit`, 'burst', burst, 'latency', '200ms'];
      await inside(replica, 'tc', 'qdisc', 'add', 'dev', 'eth0', 'root', 'tbf', ...shape);
    },
    heal: async () => {
      for (const replica of replicas) await inside(replica, 'iptables', '-w', '-F', 'INPUT');
      for (const replica of narrowed)
        await inside(replica, 'tc', 'qdisc', 'del', 'dev', 'eth0', 'root');
      narrowed.clear();
    },
  };
}
