/**
 * The address for browsers: a port on localhost, forwarded to a node by a process that outlives `make up`; `make down` ends it.
 * Browsers keep the session's cookies from https and from localhost only, and a node's address is neither.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../cluster/free-ports.ts';
import { waitFor } from '../cluster/run.ts';
import { startTimeOf } from '../cluster/start-time.ts';

/** The forwarder's note about itself; it writes the note as soon as it listens. */
export interface ForwardNote {
  readonly pid: number;
  readonly startTime: string;
  /** Port on localhost. */
  readonly port: number;
  readonly target: Target;
}

/** Destination of the forwarded connections. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

interface ForwardOptions {
  readonly stateFolder: string;
  readonly target: Target;
}

/** The port that is tried first. */
const usualPort = 30_080;

const noteFile = (stateFolder: string): string => join(stateFolder, 'web.json');

/** Starts the forwarder and returns the URL for browsers. The port stays the same as long as nobody else takes it. */
export async function startForward({ stateFolder, target }: ForwardOptions): Promise<string> {
  const before = readNote(stateFolder);
  if (before !== undefined && isRunning(before)) {
    if (before.target.host === target.host && before.target.port === target.port) {
      return urlOf(before);
    }
    await stopForward(stateFolder);
  }
  const [free = 0] = await freePorts(1);
  const errors: string[] = [];
  for (const port of [before?.port ?? usualPort, usualPort, free]) {
    const failure = await start(stateFolder, port, target);
    if (failure === undefined) return `http://localhost:${port}`;
    errors.push(`port ${port}: ${failure}`);
  }
  throw new Error(`no port on localhost can be forwarded: ${errors.join('; ')}`);
}

/** Ends the forwarder if it runs. The note stays, so that the next forwarder takes the same port. */
export async function stopForward(stateFolder: string): Promise<void> {
  const note = readNote(stateFolder);
  if (note === undefined || !isRunning(note)) return;
  process.kill(note.pid, 'SIGTERM');
  await waitFor(
    `the end of the forwarder ${note.pid}`,
    () => Promise.resolve(isRunning(note) ? undefined : true),
    { timeoutMs: 30_000, everyMs: 50 },
  );
}

export function forgetForward(stateFolder: string): void {
  rmSync(noteFile(stateFolder), { force: true });
}

/** The URL for browsers, and whether it is forwarded now. `undefined` if there has never been one. */
export function forwardOf(
  stateFolder: string,
): { readonly url: string; readonly running: boolean } | undefined {
  const note = readNote(stateFolder);
  return note && { url: urlOf(note), running: isRunning(note) };
}

const urlOf = ({ port }: ForwardNote): string => `http://localhost:${port}`;

const isRunning = ({ pid, startTime }: ForwardNote): boolean => startTimeOf(pid) === startTime;

function readNote(stateFolder: string): ForwardNote | undefined {
  const file = noteFile(stateFolder);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ForwardNote;
  } catch {
    // A note that was cut off while it was written counts as absent.
    return undefined;
  }
}

/** Starts the forwarder. Returns the reason why it does not listen, or `undefined` if it does. */
async function start(
  stateFolder: string,
  port: number,
  target: Target,
): Promise<string | undefined> {
  const log = openSync(join(stateFolder, 'web.log'), 'a');
  const settings = JSON.stringify({ port, target, noteFile: noteFile(stateFolder) });
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'forwarder.ts'), settings],
    // Detached, so that neither Ctrl-C nor the end of the terminal reaches it.
    { detached: true, stdio: ['ignore', log, log, 'ipc'], cwd: '/' },
  );
  closeSync(log);
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', () => resolve(`the forwarder ended; see ${join(stateFolder, 'web.log')}`));
    child.once('message', (said: { readonly failure?: string }) => resolve(said.failure));
  });
  child.removeAllListeners();
  if (child.connected) child.disconnect();
  child.unref();
  return failure;
}
