/** A real S3 server over a folder, with one bucket, and credentials as commands read them. */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '../../../tools/cluster/binaries.ts';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { eventually } from '../shell.ts';

export const BUCKET = 'backups';
/** Keys of the one who may do anything, as files are called. */
const credentials = { 'access-key-id': 'tester', 'secret-access-key': 'tester-secret' };

export class S3Server {
  readonly folder: string;
  /** Folder of the bucket: what is in it can be looked at, and damaged. */
  readonly bucket: string;
  readonly port: number;
  readonly #program: string;
  #host = '127.0.0.1';
  #secret: string = credentials['secret-access-key'];
  readonly #log: string[] = [];
  #child: ChildProcess | undefined;

  private constructor(folder: string, port: number, program: string) {
    this.folder = folder;
    this.bucket = join(folder, 'data', BUCKET);
    this.port = port;
    this.#program = program;
  }

  static async start(): Promise<S3Server> {
    const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-s3-'));
    const [port = 0] = await freePorts(1);
    const server = new S3Server(folder, port, await ensureProgram('versitygw'));
    mkdirSync(server.bucket, { recursive: true });
    mkdirSync(join(folder, 'versions'));
    server.writeCredentials('credentials', credentials);
    await server.resume();
    return server;
  }

  readonly accessKeyId = credentials['access-key-id'];
  readonly secretAccessKey = credentials['secret-access-key'];

  /** Where it listens. */
  get endpoint(): string {
    return `http://${this.#host}:${this.port}`;
  }

  /** 0 while it is stopped. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Listens on another address of this machine, with what it holds. */
  async moveTo(host: string): Promise<void> {
    await this.stop();
    this.#host = host;
    await this.resume();
  }

  /** Takes this secret and no other from now on. */
  async takeOnly(secret: string): Promise<void> {
    await this.stop();
    this.#secret = secret;
    await this.resume();
  }

  /** A folder with credentials, as a mounted Secret is. */
  writeCredentials(name: string, files: Readonly<Record<string, string>>): string {
    const path = join(this.folder, name);
    mkdirSync(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    chmodSync(path, 0o700);
    return path;
  }

  async resume(): Promise<void> {
    const child = spawn(
      this.#program,
      [
        '--quiet',
        '--port',
        `${this.#host}:${this.port}`,
        '--health',
        '/healthz',
        'posix',
        // For buckets with object lock, which have versions.
        '--versioning-dir',
        join(this.folder, 'versions'),
        join(this.folder, 'data'),
      ],
      {
        env: {
          ROOT_ACCESS_KEY: credentials['access-key-id'],
          ROOT_SECRET_KEY: this.#secret,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const take = (chunk: Buffer) => void this.#log.push(chunk.toString());
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    this.#child = child;
    await eventually('the S3 server answers', async () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${this.#log.join('')}`);
      const answer = await fetch(`${this.endpoint}/healthz`);
      return answer.ok ? true : undefined;
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** Flags of a command that uses the bucket. */
  flags(databaseId: string, endpoint = this.endpoint, folder = 'credentials'): readonly string[] {
    return [
      `--store=s3://${BUCKET}/house`,
      `--endpoint=${endpoint}`,
      `--credentials=${join(this.folder, folder)}`,
      `--database=${databaseId}`,
    ];
  }

  /** Makes the objects below a prefix older: the store's time of one is that of its file. Returns how many there are. */
  age(prefix: string, days: number): number {
    const folder = join(this.bucket, 'house', prefix);
    const written = Date.now() / 1_000 - days * 86_400;
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    for (const { parentPath, name } of files) utimesSync(join(parentPath, name), written, written);
    return files.length;
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
