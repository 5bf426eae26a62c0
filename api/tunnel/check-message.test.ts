import { expect, test } from '@jest/globals';
import { TransferFlag } from '../../engine/wire/flags.ts';
import { buildPingClient, buildRequest, Command, Header } from '../../engine/wire/header.ts';
import { encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation, shapeOf } from '../../engine/wire/operations.ts';
import { engineRelease } from '../../engine/wire/release.ts';
import { checkMessage, type LedgerRights } from './check-message.ts';

const all: LedgerRights = { reads: true, writes: true };
const builtin = { name: 'Builtin', version: '0.1.0', streams: false };

function request(operation: number, body: Uint8Array = new Uint8Array(0)) {
  const isRegister = operation === Operation.register;
  const bytes = buildRequest(
    {
      cluster: 0n,
      view: 0,
      release: engineRelease,
      client: 7n,
      session: isRegister ? 0n : 3n,
      request: isRegister ? 0 : 1,
      operation,
      parent: new Uint8Array(16),
    },
    body,
  );
  return { header: new Header(bytes), bytes, body };
}

const everyOperation = Array.from({ length: 256 }, (_, code) => code);

test('exactly the ledger’s operations and the registration pass, each with its right', () => {
  const passing = (rights: LedgerRights) =>
    everyOperation.filter(
      (code) => checkMessage(request(code), rights, builtin).kind === 'pass' && code !== 2,
    );
  const ofLedger = everyOperation.filter((code) => shapeOf(code) !== undefined);
  const writes = ofLedger.filter((code) => shapeOf(code)?.write === true);
  expect(passing(all)).toEqual(ofLedger);
  expect(passing({ reads: true, writes: false })).toEqual(
    ofLedger.filter((code) => !writes.includes(code)),
  );
  expect(passing({ reads: false, writes: true })).toEqual(writes);
  expect(passing({ reads: false, writes: false })).toEqual([]);
  expect(writes).toContain(Operation.createTransfers);
});

test('a registration passes with any right, since it changes nothing', () => {
  const register = request(Operation.register, new Uint8Array(256));
  expect(checkMessage(register, { reads: false, writes: true }, builtin).kind).toBe('pass');
});

test('messages between replicas end the tunnel, whatever they hold', () => {
  const kinds = everyOperation.filter((command) => {
    const { header, bytes, body } = request(Operation.lookupAccounts);
    header.putU8(114, command);
    return checkMessage({ header, bytes, body }, all, builtin).kind !== 'end';
  });
  expect(kinds).toEqual([Command.pingClient, Command.request]);
});

test('fields that the protocol ignores are not sent on', () => {
  const { header, bytes, body } = request(Operation.lookupAccounts);
  header.putU64(184, 1n);
  expect(checkMessage({ header, bytes, body }, all, builtin)).toEqual({ kind: 'ignore' });
  const ping = buildPingClient({
    cluster: 0n,
    release: engineRelease,
    client: 7n,
    session: 0n,
    monotonic: 1n,
  });
  const pinged = { header: new Header(ping), bytes: ping, body: new Uint8Array(0) };
  expect(checkMessage(pinged, all, builtin).kind).toBe('pass');
  pinged.header.putU8(200, 1);
  expect(checkMessage(pinged, all, builtin)).toEqual({ kind: 'ignore' });
});

test('an imported post reaches no TigerBeetle that it would end', () => {
  const transfer = new Uint8Array(128);
  new DataView(transfer.buffer).setUint16(
    118,
    TransferFlag.imported | TransferFlag.post_pending_transfer,
    true,
  );
  const message = request(Operation.createTransfers, encodeMultiBatch([transfer], 128));
  const on = (name: string, version: string) =>
    checkMessage(message, all, { name, version, streams: false }).kind;
  expect(on('TigerBeetle', '0.17.9')).toBe('refuse');
  expect(on('TigerBeetle', '0.18.0')).toBe('pass');
  expect(on('Builtin', '0.17.9')).toBe('pass');
});

test('while change streams are on, no imported transfer passes', () => {
  const transfer = new Uint8Array(128);
  new DataView(transfer.buffer).setUint16(118, TransferFlag.imported, true);
  const message = request(Operation.createTransfers, encodeMultiBatch([transfer], 128));
  expect(checkMessage(message, all, builtin).kind).toBe('pass');
  expect(checkMessage(message, all, { ...builtin, streams: true })).toMatchObject({
    kind: 'refuse',
    note: { code: 'cdc_enabled' },
  });
});
