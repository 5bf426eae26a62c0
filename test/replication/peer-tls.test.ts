/** TLS among real etcd members with the certificates that the operator makes: rotation under writes, and refusals. */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEtcdClient } from '../../engine/log/replicated/etcd-client.ts';
import type { Etcd } from '../../engine/log/replicated/etcd.ts';
import { createAuthority } from '../../operator/certificates/authority.ts';
import {
  generationsMax,
  peerSecretsOf,
  type Generation,
} from '../../operator/certificates/generations.ts';
import { issue } from '../../operator/certificates/issue.ts';
import type { Subject } from '../../operator/manifests/subject.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { eventually } from '../support/shell.ts';
import { subjectOf } from '../support/operator/subjects.ts';
import { addressOf, TlsGroup, type Certificates } from './tls-group.ts';

jest.setTimeout(15 * 60_000);

/** TLS's error codes for a refusal, as opposed to a lost connection. */
const refusal = /^ERR_SSL_.*ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_REQUIRED)$/;

const members = [0, 1, 2];
const endpoints = members.map((index) => ({ index, ip: addressOf(index), port: 3001 }));
const subject = subjectOf('Builtin', 'ha-3', { endpoints });
const another = {
  ...subject,
  uid: 'ffffffff-8f5b-4d0c-9a53-3c0b0a6f7d11',
  workload: 'other-ffffff',
};

let group: TlsGroup | undefined;
let clients: Etcd[] = [];
let writer: Writer | undefined;
// Built from source when this machine has not done so yet.
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
afterEach(async () => {
  await writer?.stop();
  writer = undefined;
  for (const client of clients) client.close();
  clients = [];
  await group?.dispose();
  group = undefined;
});

/** One database's generations, as the operator records them, and the contents of its Secrets. */
class Issuer {
  generations: readonly Generation[] = [];
  readonly #subject: Subject;
  readonly #secrets = new Map<string, Record<string, string>>();

  constructor(of: Subject) {
    this.#subject = of;
  }

  /** Makes a generation. Returns the certificates that the database's pods have from now on. */
  async next(): Promise<Certificates> {
    const number = (this.generations.at(-1)?.number ?? 0) + 1;
    const made = await issue(this.#subject, number, this.generations, Date.now());
    const { name = '' } = made.secret.metadata;
    this.#secrets.set(name, made.secret.stringData ?? {});
    this.generations = [...this.generations, made.generation].slice(-generationsMax);
    const { trust, identity } = peerSecretsOf(this.#subject.workload, this.generations) ?? {};
    const file = (secret: string | undefined, key: string) =>
      this.#secrets.get(secret ?? '')?.[key] ?? '';
    return {
      'ca.crt': file(trust, 'ca.crt'),
      'tls.crt': file(identity, 'tls.crt'),
      'tls.key': file(identity, 'tls.key'),
    };
  }
}

async function start(certificates: Certificates): Promise<TlsGroup> {
  const made = await TlsGroup.create(subject.uid);
  group = made;
  for (const member of members) made.start(member, certificates);
  clients = members.map((member) => createEtcdClient(made.target(member)));
  for (const member of members) await serving(member);
  return made;
}

const text = (value: string): Uint8Array => Buffer.from(value);
const read = { compare: [], success: [{ do: 'range', key: text('k') }], failure: [] } as const;

/** Resolves when the member answers a linearizable read, for which it and a majority must reach each other. */
const answers = (member: number) =>
  clients[member]!.txn(read, { timeoutMs: 2_000 }).then(
    () => true,
    () => false,
  );
const serving = (member: number) =>
  eventually(`member ${member} serves`, async () => (await answers(member)) || undefined);

async function leader(): Promise<number> {
  return eventually('a leader', async () => {
    const all = await Promise.all(clients.map((client) => client.status({ timeoutMs: 2_000 })));
    const index = all.findIndex(({ memberId, leaderId }) => memberId === leaderId);
    return index < 0 ? undefined : index;
  });
}

/** Writes one key after another, each until a member takes it. */
class Writer {
  readonly written: string[] = [];
  longestGapMs = 0;
  #stopping = false;
  readonly #loop = this.#write();

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#loop;
  }

  /** Resolves when any member has taken a key that is written from now on. */
  async goesOn(): Promise<void> {
    const goal = this.written.length + 2;
    await eventually('writes go on', async () => this.written.length >= goal || undefined);
  }

  async #write(): Promise<void> {
    let lastMs = performance.now();
    let member = 0;
    while (!this.#stopping) {
      const key = `w${String(this.written.length).padStart(8, '0')}`;
      const put = { do: 'put', key: text(key), value: text(key) } as const;
      try {
        await clients[member]!.txn(
          { compare: [], success: [put], failure: [] },
          { timeoutMs: 1_000 },
        );
        this.written.push(key);
        this.longestGapMs = Math.max(this.longestGapMs, performance.now() - lastMs);
        lastMs = performance.now();
      } catch {
        member = (member + 1) % members.length;
      }
      await sleep(5);
    }
  }
}

test('generations follow one another, a member at a time and the leader last, while writes go on', async () => {
  const issuer = new Issuer(subject);
  const first = await issuer.next();
  const made = await start(first);
  writer = new Writer();
  // After these generations nothing of the first one is trusted any more.
  for (let generation = 2; generation <= 4; generation += 1) {
    const certificates = await issuer.next();
    const last = await leader();
    const order = [...members.filter((member) => member !== last), last];
    for (const member of order) {
      await made.stop(member);
      // A mixed majority of old and new members goes on without the restarting one.
      const others = members.filter((other) => other !== member);
      await Promise.all(others.map(serving));
      await writer.goesOn();
      made.start(member, certificates);
      // All members take part again, with any generation, before the next one is stopped.
      await Promise.all(members.map(serving));
    }
  }
  await writer.stop();
  const { written, longestGapMs } = writer;
  const all = { do: 'range', key: text('w'), rangeEnd: text('x'), keysOnly: true } as const;
  const { results } = await clients[0]!.txn(
    { compare: [], success: [all], failure: [] },
    { timeoutMs: 60_000 },
  );
  const kept = new Set(results[0]?.kvs.map(({ key }) => Buffer.from(key).toString()));
  expect(written.filter((key) => !kept.has(key))).toEqual([]);
  expect(written.length).toBeGreaterThan(100);
  process.stderr.write(
    `figure: ${written.length} writes during 9 restarts, longest time without one ${Math.round(longestGapMs)} ms\n`,
  );
  expect(await made.knock(0, first)).toMatch(refusal);
});

test('a connection without a certificate, with another database’s, or with another name is refused', async () => {
  const certificates = await new Issuer(subject).next();
  const made = await start(certificates);
  expect(await made.knock(0, certificates)).toBe('200');
  const foreign = await new Issuer(another).next();
  const now = {
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 600_000),
  };
  const copied = await (await createAuthority(`${subject.uid} 1`, now)).sign(subject.uid, ['r0']);
  const refused = {
    none: {},
    'another database’s': foreign,
    'one with the right names, by an authority that took a known one’s name': {
      'tls.crt': copied.certificate,
      'tls.key': copied.key,
    },
  };
  for (const [whose, shown] of Object.entries(refused)) {
    expect([whose, await made.knock(0, shown)]).toEqual([whose, expect.stringMatching(refusal)]);
  }
  await eventually('the member says so', async () =>
    made.log(0).includes('rejected connection on peer endpoint') ? true : undefined,
  );
});

test('a certificate of the same authority under another name is refused: the name is asked for, too', async () => {
  const now = {
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 600_000),
  };
  const authority = await createAuthority('authority', now);
  const hosts = members.map(addressOf);
  const files = async (commonName: string) => {
    const { certificate, key } = await authority.sign(commonName, hosts);
    return { 'ca.crt': authority.certificate, 'tls.crt': certificate, 'tls.key': key };
  };
  const made = await start(await files(subject.uid));
  expect(await made.knock(0, await files(subject.uid))).toBe('200');
  expect(await made.knock(0, await files(another.uid))).toMatch(refusal);
});

test('a member with another database’s certificates has no part, and the others go on', async () => {
  const certificates = await new Issuer(subject).next();
  const made = await start(certificates);
  const foreign = await new Issuer(another).next();
  const follower = ((await leader()) + 1) % members.length;
  const others = members.filter((member) => member !== follower);
  await made.stop(follower);
  made.start(follower, foreign);
  await eventually(
    'it is refused',
    async () =>
      others.some((other) => made.log(other).includes('rejected connection on peer endpoint')) ||
      undefined,
  );
  expect(await answers(follower)).toBe(false);
  await Promise.all(others.map(serving));
  await made.stop(follower);
  made.start(follower, certificates);
  await serving(follower);
});
