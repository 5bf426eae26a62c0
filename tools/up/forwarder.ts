/**
 * The process behind `forward.ts`: accepts connections on localhost and forwards their bytes to the target. It ends at SIGTERM,
 * or when its note is gone or names another process, so that it never outlives the installation.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { startTimeOf } from '../cluster/start-time.ts';
import type { ForwardNote, Target } from './forward.ts';

interface Settings {
  readonly port: number;
  readonly target: Target;
  readonly noteFile: string;
}

/** Limits: a browser opens a few connections, and each waits for at most `connectMs` to reach the node. */
const connectionsMax = 256;
const connectMs = 10_000;
const lookAtNoteMs = 5_000;

const { port, target, noteFile } = JSON.parse(process.argv[2] ?? '') as Settings;

function forward(client: Socket): void {
  const server = connect(target);
  server.setTimeout(connectMs, () => server.destroy());
  server.once('connect', () => server.setTimeout(0));
  // An error of one side closes the other; there is nobody to report it to.
  pipeline(client, server, () => client.destroy());
  pipeline(server, client, () => server.destroy());
}

function listen(host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(forward);
    server.maxConnections = connectionsMax;
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      server.on('error', (error) => console.error(error));
      resolve(server);
    });
  });
}

function isOurs(): boolean {
  try {
    return (JSON.parse(readFileSync(noteFile, 'utf8')) as ForwardNote).pid === process.pid;
  } catch {
    return false;
  }
}

try {
  await listen('127.0.0.1');
  // Browsers try ::1 first: another program that listens there on the same port would get the session's cookies.
  await listen('::1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw error;
  });
  const { pid } = process;
  const note: ForwardNote = { pid, startTime: startTimeOf(pid) ?? '', port, target };
  writeFileSync(noteFile, `${JSON.stringify(note)}\n`);
  process.send?.({});
} catch (error) {
  process.send?.({ failure: error instanceof Error ? error.message : String(error) }, () =>
    process.exit(1),
  );
}
process.on('SIGTERM', () => process.exit(0));
setInterval(() => {
  if (!isOurs()) process.exit(0);
}, lookAtNoteMs);
