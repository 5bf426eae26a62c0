/**
 * Ledger tests as text: `check` runs one line after another on a new state machine and compares what follows the arrow.
 *
 *   account A1 flags=history|closed user_data_64=7 -> created
 *   transfer T1 A1 A2 15 flags=pending timeout=3   -> created        debit account, credit account, amount
 *   post T2 T1 10                                  -> created        transfer T2 posts T1; void alike; no amount: all
 *   batch … end                                                      the lines between are events of one batch
 *   tick 2s                                                          lets time pass; a pulse runs when one is due
 *   balance A1 1 2 3 4 [closed]                                      debits pending, posted, credits pending, posted
 *   lookup T1 amount=15 timestamp=event            (or `lookup T1 missing`)
 *   transfers|balances ACCOUNT [debits] [credits] [reversed] key=value … -> T1 T2 …
 *   query accounts|transfers [reversed] key=value … -> A1 A2 …
 *   events key=value …                              -> single:T1 pending:T2 posted:T3 expired:T2 …
 *   restart                                                          checkpoint, load into a new machine, same hash
 *
 * Accounts and transfers have ledger=1 and code=1 unless said otherwise, posts and voids neither. Numbers may carry one
 * leading letter; `max` is all ones, `max-1` one less. `time(T1)` is T1's timestamp.
 */
import assert from 'node:assert/strict';
import { StateMachine } from '../../../../engine/ledger/state-machine.ts';
import { AccountFlag, TransferFlag } from '../../../../engine/wire/flags.ts';
import { AccountStatus, TransferStatus } from '../../../../engine/wire/statuses.ts';
import { decodeMultiBatch, encodeMultiBatch } from '../../../../engine/wire/multi-batch.ts';
import { Operation } from '../../../../engine/wire/operations.ts';
import {
  accountFields,
  accountFilterFields,
  balanceFields,
  changeEventFields,
  concatenate,
  decodeRecord,
  encodeRecord,
  eventsFilterFields,
  queryFilterFields,
  transferFields,
} from './records.ts';

const MAX128 = (1n << 128n) - 1n;
const SECOND = 1_000_000_000n;
const LIMIT_BYTES = 2 ** 30;
const eventTypes = ['single', 'pending', 'posted', 'voided', 'expired'];

interface Pending {
  readonly kind: 'account' | 'transfer';
  readonly record: Record<string, bigint>;
  readonly expected: string;
  readonly line: string;
}

export async function check(text: string): Promise<void> {
  const scenario = new Scenario();
  for (const line of text.split('\n')) {
    const trimmed = line.replace(/\/\/.*/, '').trim();
    if (trimmed !== '') await scenario.run(trimmed);
  }
}

class Scenario {
  #machine = new StateMachine({ memoryLimitBytes: LIMIT_BYTES });
  #timestamp = 1_000n * SECOND;
  #batch: Pending[] | undefined;
  readonly #accountTimes = new Map<bigint, bigint>();
  readonly #transferTimes = new Map<bigint, bigint>();

  async run(line: string): Promise<void> {
    const [left, expected = ''] = line.split('->').map((part) => part.trim());
    const [command = '', ...words] = left!.split(/\s+/);
    switch (command) {
      case 'account':
      case 'transfer':
      case 'post':
      case 'void':
        this.#event(command, words, expected, line);
        break;
      case 'batch':
        this.#batch = [];
        break;
      case 'end':
        this.#commit(this.#batch!);
        this.#batch = undefined;
        break;
      case 'tick':
        this.#tick(words[0]!);
        break;
      case 'balance':
        this.#balance(words, line);
        break;
      case 'lookup':
        this.#lookup(words, line);
        break;
      case 'transfers':
      case 'balances':
        this.#accountHistory(command, words, expected, line);
        break;
      case 'query':
        this.#query(words, expected, line);
        break;
      case 'events':
        this.#events(words, expected, line);
        break;
      case 'restart':
        await this.#restart();
        break;
      default:
        assert.fail(`not a command: ${line}`);
    }
  }

  #event(command: string, words: readonly string[], expected: string, line: string): void {
    const isResolving = command === 'post' || command === 'void';
    const kind = command === 'account' ? 'account' : 'transfer';
    const fields = kind === 'account' ? accountFields : transferFields;
    const positions = isResolving
      ? ['id', 'pending_id', 'amount']
      : ['id', 'debit_account_id', 'credit_account_id', 'amount'];
    const record: Record<string, bigint> = {};
    for (const [name] of fields) record[name] = 0n;
    if (!isResolving) Object.assign(record, { ledger: 1n, code: 1n });
    if (command === 'post') Object.assign(record, { amount: MAX128, flags: 4n });
    if (command === 'void') record.flags = 8n;
    let position = 0;
    for (const word of words) {
      const [name, value] = word.split('=');
      if (value === undefined) record[positions[position++]!] = this.#number(word, 16);
      else if (name === 'flags') record.flags! |= flagsOf(kind, value);
      else {
        const field = fields.find(([candidate]) => candidate === name);
        assert.ok(field !== undefined, `no such field: ${line}`);
        record[name!] = this.#number(value, field[1]);
      }
    }
    const event: Pending = { kind, record, expected, line };
    if (this.#batch === undefined) this.#commit([event]);
    else this.#batch.push(event);
  }

  #commit(events: readonly Pending[]): void {
    const isAccounts = events[0]!.kind === 'account';
    const operation = isAccounts ? Operation.createAccounts : Operation.createTransfers;
    const fields = isAccounts ? accountFields : transferFields;
    const records = events.map(({ record }) => encodeRecord(fields, 128, record));
    const body = encodeMultiBatch([concatenate(records)], 128);
    this.#timestamp += 1n + BigInt(this.#machine.timestampDelta(operation, body));
    const reply = this.#machine.commit(operation, this.#timestamp, body);
    const view = new DataView(reply.buffer, reply.byteOffset, reply.byteLength);
    const statuses: Record<string, number> = isAccounts ? AccountStatus : TransferStatus;
    const times = isAccounts ? this.#accountTimes : this.#transferTimes;
    for (const [i, { record, expected, line }] of events.entries()) {
      const status = view.getInt32(i * 16 + 8, true);
      const timestamp = view.getBigUint64(i * 16, true);
      const name = Object.keys(statuses).find((key) => statuses[key] === status);
      assert.equal(name, expected, line);
      const slot = this.#timestamp - BigInt(events.length) + BigInt(i) + 1n;
      const given = record.timestamp === 0n ? slot : record.timestamp;
      if (name === 'created') {
        assert.equal(timestamp, given, line);
        times.set(record.id!, timestamp);
      } else if (name === 'exists')
        assert.equal(timestamp, times.get(record.id!) ?? timestamp, line);
      else if (name !== 'linked_event_failed') assert.equal(timestamp, slot, line);
    }
    this.#pulse();
  }

  #tick(duration: string): void {
    const [, count, unit] = /^(\d+)(s|ns)$/.exec(duration)!;
    this.#timestamp += BigInt(count!) * (unit === 's' ? SECOND : 1n);
    this.#pulse();
  }

  #pulse(): void {
    const expiry = this.#machine.nextExpiry();
    if (expiry === undefined || expiry > this.#timestamp) return;
    this.#timestamp +=
      1n + BigInt(this.#machine.timestampDelta(Operation.pulse, new Uint8Array(0)));
    this.#machine.commit(Operation.pulse, this.#timestamp, new Uint8Array(0));
  }

  #balance([account, ...words]: readonly string[], line: string): void {
    const [record] = this.#read(Operation.lookupAccounts, 16, accountFields, {
      fields: [['id', 16]],
      record: { id: this.#number(account!, 16) },
    });
    assert.ok(record !== undefined, line);
    const isClosed = (record.flags! & BigInt(AccountFlag.closed)) !== 0n;
    assert.equal(isClosed, words.includes('closed'), line);
    const names = ['debits_pending', 'debits_posted', 'credits_pending', 'credits_posted'];
    const numbers = words.filter((word) => word !== 'closed').map((word) => this.#number(word, 16));
    const balances = names.map((name) => record[name]!);
    assert.deepEqual(balances, numbers, line);
  }

  #lookup([id, ...words]: readonly string[], line: string): void {
    const isAccount = id!.startsWith('A');
    const operation = isAccount ? Operation.lookupAccounts : Operation.lookupTransfers;
    const fields = isAccount ? accountFields : transferFields;
    const [record] = this.#read(operation, 16, fields, {
      fields: [['id', 16]],
      record: { id: this.#number(id!, 16) },
    });
    if (words[0] === 'missing') {
      assert.equal(record, undefined, line);
      return;
    }
    assert.ok(record !== undefined, line);
    for (const word of words) {
      const [name, value] = word.split('=');
      const expected =
        name === 'flags' ? flagsOf(isAccount ? 'account' : 'transfer', value!) : undefined;
      assert.equal(record[name!], expected ?? this.#number(value!, 16), line);
    }
  }

  #accountHistory(
    command: string,
    [account, ...words]: readonly string[],
    expected: string,
    line: string,
  ): void {
    const isBalances = command === 'balances';
    const record = this.#filter(words, accountFilterFields, ['debits', 'credits', 'reversed']);
    record.account_id = this.#number(account!, 16);
    const operation = isBalances ? Operation.getAccountBalances : Operation.getAccountTransfers;
    const fields = isBalances ? balanceFields : transferFields;
    const found = this.#read(operation, 128, fields, { fields: accountFilterFields, record });
    this.#same(found, expected, line);
  }

  #query([kind, ...words]: readonly string[], expected: string, line: string): void {
    const isAccounts = kind === 'accounts';
    const record = this.#filter(words, queryFilterFields, ['reversed']);
    const operation = isAccounts ? Operation.queryAccounts : Operation.queryTransfers;
    const fields = isAccounts ? accountFields : transferFields;
    const found = this.#read(operation, 64, fields, { fields: queryFilterFields, record });
    this.#same(found, expected, line);
  }

  #events(words: readonly string[], expected: string, line: string): void {
    const record = this.#filter(words, eventsFilterFields, []);
    const body = encodeRecord(eventsFilterFields, 64, record);
    const reply = this.#machine.read(Operation.getChangeEvents, body);
    const found = Array.from({ length: reply.length / 384 }, (_, i) =>
      decodeRecord(changeEventFields, reply.subarray(i * 384, (i + 1) * 384)),
    );
    const names = found.map((event) => `${eventTypes[Number(event.type)]}:T${event.transfer_id}`);
    assert.equal(names.join(' '), expected, line);
  }

  #filter(
    words: readonly string[],
    fields: readonly (readonly [string, number])[],
    flags: readonly string[],
  ): Record<string, bigint> {
    const record: Record<string, bigint> = { limit: 8189n, flags: 0n };
    for (const word of words) {
      const [name, value] = word.split('=');
      if (value === undefined) record.flags! |= 1n << BigInt(flags.indexOf(word));
      else {
        const field = fields.find(([candidate]) => candidate === name);
        assert.ok(field !== undefined, `no such filter: ${word}`);
        record[name!] = this.#number(value, field[1]);
      }
    }
    return record;
  }

  /** Records are named by their ids, balances by the transfer whose timestamp they have. */
  #same(found: readonly Record<string, bigint>[], expected: string, line: string): void {
    const idOf = (time: bigint): bigint | undefined =>
      [...this.#transferTimes].find(([, candidate]) => candidate === time)?.[0];
    const ids = found.map((record) => record.id ?? idOf(record.timestamp!));
    const wanted = expected === '' ? [] : expected.split(/\s+/).map((id) => this.#number(id, 16));
    assert.deepEqual(ids, wanted, line);
  }

  #read(
    operation: number,
    size: number,
    fields: readonly (readonly [string, number])[],
    request: { fields: readonly (readonly [string, number])[]; record: Record<string, bigint> },
  ): Record<string, bigint>[] {
    const body = encodeMultiBatch([encodeRecord(request.fields, size, request.record)], size);
    const reply = this.#machine.read(operation, body);
    const [count] = decodeMultiBatch(reply, 128)!;
    return Array.from({ length: count! }, (_, i) =>
      decodeRecord(fields, reply.subarray(i * 128, (i + 1) * 128)),
    );
  }

  async #restart(): Promise<void> {
    const machine = new StateMachine({ memoryLimitBytes: LIMIT_BYTES });
    for (const section of this.#machine.takeDelta(new Set([1, 2, 3, 4, 5, 6]))) {
      await machine.loadSection(
        section,
        (async function* () {
          yield* section.chunks;
        })(),
      );
    }
    await machine.finishLoad(async () => undefined);
    assert.deepEqual(machine.stateHash(), this.#machine.stateHash());
    this.#machine = machine;
  }

  #number(word: string, size: number): bigint {
    const max = (1n << BigInt(size * 8)) - 1n;
    const time = /^time\((\w+)\)([+-]\d+)?$/.exec(word);
    if (time !== null) {
      const times = time[1]!.startsWith('A') ? this.#accountTimes : this.#transferTimes;
      return times.get(BigInt(time[1]!.slice(1)))! + BigInt(time[2] ?? 0);
    }
    const now = /^now([+-]\d+)?$/.exec(word);
    if (now !== null) return this.#timestamp + BigInt(now[1] ?? 0);
    const relative = /^max(?:-(\d+))?$/.exec(word);
    if (relative !== null) return max - BigInt(relative[1] ?? 0);
    return BigInt(word.replace(/^[A-Za-z]/, ''));
  }
}

function flagsOf(kind: 'account' | 'transfer', text: string): bigint {
  const flags: Record<string, number> = kind === 'account' ? AccountFlag : TransferFlag;
  return text.split('|').reduce((sum, name) => {
    const bit = /^\d/.test(name) ? Number(name) : flags[name];
    assert.ok(bit !== undefined, `no such flag: ${name}`);
    return sum | BigInt(bit);
  }, 0n);
}
