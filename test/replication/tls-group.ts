/**
 * Real etcd members with the configuration that an agent writes in a pod, and certificates as a pod's volume has them. Each has
 * its own address on the loopback, and connects from 127.0.0.1, which like a pod's address is in no certificate.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memberConfig } from '../../engine/agent/member-config.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { freePorts } from '../../tools/cluster/free-ports.ts';

/** Contents of `ca.crt`, `tls.crt` and `tls.key`. */
export type Certificates = Readonly<Record<'ca.crt' | 'tls.crt' | 'tls.key', string>>;

/** Certificate and key that a connecting peer shows. */
type Shown = Partial<Pick<Certificates, 'tls.crt' | 'tls.key'>>;

const size = 3;
export const addressOf = (member: number): string => `127.0.1.${member + 1}`;

export class TlsGroup {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-peers-'));
  readonly #program: string;
  readonly #port: number;
  readonly #health: readonly number[];
  readonly #commonName: string;
  readonly #members: (ChildProcess | undefined)[] = [];

  private constructor(program: string, [port = 0, ...health]: readonly number[], name: string) {
    this.#program = program;
    this.#port = port;
    this.#health = health;
    this.#commonName = name;
  }

  /** Makes a group. `commonName`: required common name of the members' certificates. */
  static async create(commonName: string): Promise<TlsGroup> {
    return new TlsGroup(await ensureProgram('etcd'), await freePorts(1 + size), commonName);
  }

  /** Target with which a client of the member is created. */
  target(member: number): string {
    return `unix:${this.#path(member, 'sock')}`;
  }

  log(member: number): string {
    return readFileSync(this.#path(member, 'log'), 'utf8');
  }

  start(member: number, certificates: Certificates): void {
    const folder = this.#path(member, 'certs');
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(certificates))
      writeFileSync(join(folder, name), text);
    const url = (index: number) => `https://${addressOf(index)}:${this.#port}`;
    const config = memberConfig({
      clusterId: 7n,
      replicaIndex: member,
      replicaCount: size,
      incarnation: 1,
      // Ignored if the member already has data.
      state: 'new',
      folder: this.#path(member, 'data'),
      peers: Array.from({ length: size }, (_, index) => url(index)),
      listen: url(member),
      health: `http://127.0.0.1:${this.#health[member]}`,
      socket: this.#path(member, 'sock'),
      certificates: { folder, commonName: this.#commonName },
      memoryBytes: 2 ** 30,
      volumeBytes: 2 ** 32,
    });
    const path = this.#path(member, 'yaml');
    writeFileSync(path, JSON.stringify(config));
    const log = openSync(this.#path(member, 'log'), 'a');
    const child = spawn(this.#program, [`--config-file=${path}`], { stdio: ['ignore', log, log] });
    closeSync(log);
    this.#members[member] = child;
  }

  /** Stops a member, by default in good order as the kubelet does. */
  async stop(member: number, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#members[member];
    this.#members[member] = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** Connects to a member as a peer. Returns the HTTP status or TLS's error code. */
  async knock(member: number, shown: Shown): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const said = await this.#knockOnce(member, shown);
      // The connection closed before the reason arrived: not conclusive.
      if (!['ECONNRESET', 'EPIPE'].includes(said) || tries === 10) return said;
    }
  }

  #knockOnce(member: number, shown: Shown): Promise<string> {
    return new Promise((resolve) => {
      const asked = request(
        {
          host: addressOf(member),
          port: this.#port,
          path: '/version',
          // The server's certificate is not under test.
          rejectUnauthorized: false,
          agent: false,
          timeout: 60_000,
          cert: shown['tls.crt'],
          key: shown['tls.key'],
        },
        (response) => {
          response.resume();
          resolve(String(response.statusCode));
        },
      );
      asked.on('timeout', () => asked.destroy(new Error('no answer')));
      asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      asked.end();
    });
  }

  async dispose(): Promise<void> {
    for (let member = 0; member < size; member += 1) await this.stop(member, 'SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #path(member: number, suffix: string): string {
    return join(this.#folder, `r${member}.${suffix}`);
  }
}
