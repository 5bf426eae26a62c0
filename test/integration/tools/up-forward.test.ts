// The address that `make up` prints holds a browser's session: a port on localhost that outlives the command.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgetForward, forwardOf, startForward, stopForward } from '../../../tools/up/forward.ts';
import { checkout, eventually } from '../../support/shell.ts';

let stateFolder = '';
let server: Server;
let target = { host: '127.0.0.1', port: 0 };

async function serve(text: string): Promise<Server> {
  const one = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => {
    one.listen(0, '127.0.0.1', resolve);
  });
  return one;
}
const portOf = (one: Server) => (one.address() as AddressInfo).port;

beforeEach(async () => {
  stateFolder = mkdtempSync(join(tmpdir(), 'ledgerhouse-forward-'));
  server = await serve('the API');
  target = { host: '127.0.0.1', port: portOf(server) };
});
afterEach(async () => {
  await stopForward(stateFolder);
  server.closeAllConnections();
  server.close();
  rmSync(stateFolder, { recursive: true, force: true });
});

const read = async (url: string) => (await fetch(url)).text();
const pidOf = (): number =>
  (JSON.parse(readFileSync(join(stateFolder, 'web.json'), 'utf8')) as { pid: number }).pid;

test('the address is on localhost, where browsers keep Secure cookies, and outlives the command', async () => {
  const script = `
    import { startForward } from '${checkout}/tools/up/forward.ts';
    console.log(await startForward(${JSON.stringify({ stateFolder, target })}));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = said.trim();
  expect(new URL(url).hostname).toBe('localhost');
  expect(await read(url)).toBe('the API');
  expect(forwardOf(stateFolder)).toEqual({ url, running: true });
});

test('the address stays the same over an end, a kill and another target', async () => {
  const url = await startForward({ stateFolder, target });
  expect(await startForward({ stateFolder, target })).toBe(url);
  await stopForward(stateFolder);
  await expect(read(url)).rejects.toThrow();
  expect(forwardOf(stateFolder)).toEqual({ url, running: false });
  expect(await startForward({ stateFolder, target })).toBe(url);
  process.kill(pidOf(), 'SIGKILL');
  await eventually('it is gone', () =>
    Promise.resolve(forwardOf(stateFolder)?.running === false ? true : undefined),
  );
  expect(await startForward({ stateFolder, target })).toBe(url);
  const other = await serve('another API');
  expect(await startForward({ stateFolder, target: { ...target, port: portOf(other) } })).toBe(url);
  expect(await read(url)).toBe('another API');
  other.closeAllConnections();
  other.close();
});

test('a port that somebody else has taken, in either version of IP, is left to them', async () => {
  const url = await startForward({ stateFolder, target });
  await stopForward(stateFolder);
  const squatter = createServer((_request, response) => response.end('somebody else'));
  await new Promise<void>((resolve) => {
    squatter.listen(Number(new URL(url).port), '::1', resolve);
  });
  try {
    const moved = await startForward({ stateFolder, target });
    expect(moved).not.toBe(url);
    expect(await read(moved)).toBe('the API');
  } finally {
    squatter.close();
  }
});

test('a forwarder whose installation was removed ends by itself', async () => {
  await startForward({ stateFolder, target });
  const pid = pidOf();
  forgetForward(stateFolder);
  await eventually('it ends', () => {
    try {
      process.kill(pid, 0);
      return Promise.resolve(undefined);
    } catch {
      return Promise.resolve(true);
    }
  });
});
