import { expect, test } from '@jest/globals';
import { buildEviction, buildPongClient, EvictionReason } from '../../engine/wire/header.ts';
import { engineRelease } from '../../engine/wire/release.ts';
import { ReplyScanner } from './reply-scanner.ts';

test('headers are found wherever the bytes are cut', () => {
  const frame = { cluster: 0n, view: 0, release: engineRelease, replica: 0 };
  const pong = buildPongClient({ ...frame, monotonic: 1n });
  const eviction = buildEviction({ ...frame, client: 1n, reason: EvictionReason.noSession });
  const long = Buffer.concat([pong, new Uint8Array(700)]);
  long.writeUInt32LE(long.length, 96);
  const stream = Buffer.concat([pong, long, eviction, pong]);
  for (let cut = 1; cut < stream.length; cut += 1) {
    const commands: number[] = [];
    const scanner = new ReplyScanner(({ command }) => void commands.push(command));
    for (let at = 0; at < stream.length; at += cut) scanner.push(stream.subarray(at, at + cut));
    expect(commands).toEqual([4, 4, 18, 4]);
  }
});
