/** The command-line tool as a whole process, and a server in the API's place that records what arrives, byte for byte. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout, type Ended } from '../shell.ts';

interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly atMs: number;
}

/** The server's behaviour for one request: an answer, or any other act that a test wants. */
export type Reaction = (response: ServerResponse, request: Recorded) => void;

export const answer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reaction =>
  (response) => {
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    response.writeHead(status, { 'content-type': type, 'x-request-id': 'req_1', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** Takes the request and cuts the connection. */
export const cut: Reaction = (response) => response.destroy();

/** Answers half, then cuts the connection. */
export const cutMidway: Reaction = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"success":', () => response.destroy());
};

export class RecordingServer {
  readonly requests: Recorded[] = [];
  readonly #server = createServer();
  #reactions: Reaction[] = [];

  async listen(): Promise<void> {
    this.#server.on('request', (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const recorded = {
          method: request.method ?? '',
          url: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(pieces),
          atMs: performance.now(),
        };
        this.requests.push(recorded);
        // The last reaction stays.
        const reaction = this.#reactions.length > 1 ? this.#reactions.shift() : this.#reactions[0];
        (reaction ?? answer(500, { code: 'no_reaction' }))(response, recorded);
      });
    });
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets what was, and reacts like this from now on: one reaction a request, the last one from then on. */
  react(...reactions: readonly Reaction[]): void {
    this.requests.length = 0;
    this.#reactions = [...reactions];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

interface CliOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Text for standard input, which is closed after it. */
  readonly stdin?: string;
}

interface Started {
  readonly ended: Promise<Ended>;
  says(text: string): Promise<string>;
  /** Output so far. */
  readonly said: { readonly stdout: string; readonly stderr: string };
  /** As Ctrl-C does. */
  interrupt(): void;
  /** Writes to its standard input, while that is open. */
  type(text: string): void;
}

const executable = join(checkout, 'bin/ledgerhouse');

/** Runs the tool with a home of its own, so that nothing of this machine's user comes into it. */
export class Cli {
  readonly home = mkdtempSync(join(tmpdir(), 'ledgerhouse-cli-'));
  readonly #env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env;
  }

  run(args: readonly string[], options: CliOptions = {}): Promise<Ended> {
    return this.start(args, options).ended;
  }

  /** Starts the tool. `says` resolves with its standard error once that contains `text`, and rejects when it ends before. */
  start(args: readonly string[], { env = {}, stdin = '' }: CliOptions = {}): Started {
    const started = this.#spawn(executable, args, env);
    started.end(stdin);
    return started;
  }

  /** Starts the tool on a terminal of its own, on which a test types. All that the terminal shows is its standard output. */
  startOnTerminal(args: readonly string[]): Started {
    // Without the shell between both, which an interruption would end, too.
    const command = ['exec', executable, ...args].join(' ');
    return this.#spawn('script', ['-qec', command, '/dev/null'], {});
  }

  #spawn(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ): Started & { end(stdin: string): void } {
    const child = spawn(command, args, {
      cwd: this.home,
      env: {
        PATH: process.env['PATH'],
        HOME: this.home,
        XDG_CONFIG_HOME: join(this.home, 'config'),
        // The homes are new, the sources are not.
        NODE_COMPILE_CACHE: join(checkout, 'node_modules/.cache/cli'),
        ...this.#env,
        ...env,
      },
      timeout: 300_000,
    });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (piece: string) => (said[name] += piece));
    }
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code: code ?? -1, ...said }));
    });
    // A tool that ends without reading its input is no failure of the test.
    child.stdin.on('error', () => undefined);
    const says = (text: string) =>
      new Promise<string>((resolve, reject) => {
        const look = () => said.stderr.includes(text) && resolve(said.stderr);
        child.stderr.on('data', look);
        look();
        ended.then(({ stderr }) => reject(new Error(`it ended and said: ${stderr}`)), reject);
      });
    return {
      ended,
      says,
      said,
      interrupt: () => void child.kill('SIGINT'),
      type: (text) => void child.stdin.write(text),
      end: (stdin) => void child.stdin.end(stdin),
    };
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
