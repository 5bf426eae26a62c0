import { expect, test } from '@jest/globals';
import { LeadershipPolicy, type Decision, type Observation } from './leadership-policy.ts';
import { ABSTAIN_MS, ALIGN_AFTER_MS, SILENCE_MS, SILENCE_STEP_MS } from './limits.ts';
import type { Peer } from './peers.ts';

const nothing = { do: 'nothing' };
const base: Observation = {
  nowMs: 0,
  self: 1,
  replicaCount: 3,
  raft: { leads: false, hasLeader: true },
  lead: { replica: 0, fence: 5 },
  leadCommittedAtMs: -Infinity,
  leading: false,
  canLead: true,
  peers: [],
};
const peer = (replica: number, fields: Partial<Peer> = {}): Peer => ({
  replica,
  memberId: 100n + BigInt(replica),
  op: 10,
  fence: undefined,
  canLead: true,
  heardAtMs: 0,
  ...fields,
});

/** Asks the policy every 50 ms. The peers are heard each time unless `seen` says that they are silent. */
function ask(
  policy: LeadershipPolicy,
  { fromMs = 0, untilMs }: { fromMs?: number; untilMs: number },
  seen: Partial<Observation>,
): { atMs: number; decision: Decision }[] {
  const made: { atMs: number; decision: Decision }[] = [];
  for (let nowMs = fromMs; nowMs <= untilMs; nowMs += 50) {
    const peers = (seen.peers ?? []).map((each) =>
      each.heardAtMs < 0 ? each : { ...each, heardAtMs: nowMs },
    );
    const decision = policy.decide({ ...base, ...seen, nowMs, peers });
    if (decision.do !== 'nothing') made.push({ atMs: nowMs, decision });
  }
  return made;
}

const holder = peer(0, { fence: 5 });

test('the replica beside raft’s new leader claims the lead, once', () => {
  const policy = new LeadershipPolicy();
  expect(ask(policy, { untilMs: 200 }, { peers: [holder] })).toEqual([]);
  const raft = { leads: true, hasLeader: true };
  const made = ask(policy, { fromMs: 250, untilMs: 2000 }, { raft, peers: [holder] });
  expect(made).toEqual([{ atMs: 250, decision: { do: 'claim', why: 'raft_led' } }]);
});

test('a raft leader whose engine is not up to date passes raft’s lead to the one that is furthest', () => {
  const policy = new LeadershipPolicy();
  policy.decide(base);
  const peers = [peer(0, { op: 20 }), peer(2, { op: 30 })];
  const seen = { raft: { leads: true, hasLeader: true }, canLead: false, peers };
  const made = ask(policy, { fromMs: 50, untilMs: 500 }, seen);
  expect(made).toEqual([{ atMs: 50, decision: { do: 'moveRaft', memberId: 102n } }]);
});

test('an engine that begins beside raft’s leader takes the lead from no engine that is well, and passes raft’s lead to it', () => {
  const beside = { raft: { leads: true, hasLeader: true } };
  const follower = peer(2, { op: 30 });
  for (const canLead of [false, true]) {
    const policy = new LeadershipPolicy();
    // The holder is not the first to be heard.
    expect(ask(policy, { untilMs: 100 }, { ...beside, canLead: false, peers: [follower] })).toEqual(
      [],
    );
    const peers = [holder, follower];
    const made = ask(policy, { fromMs: 150, untilMs: 6000 }, { ...beside, canLead, peers });
    expect(made[0]).toEqual({
      atMs: 150 + ALIGN_AFTER_MS,
      decision: { do: 'moveRaft', memberId: holder.memberId },
    });
    expect(made.map(({ decision }) => decision.do)).not.toContain('claim');
  }
});

test('an engine that begins beside raft’s leader leads if nobody does', () => {
  const beside = { raft: { leads: true, hasLeader: true } };
  const first = ask(new LeadershipPolicy(), { untilMs: 100 }, { ...beside, lead: undefined });
  expect(first).toEqual([{ atMs: 0, decision: { do: 'claim', why: 'raft_led' } }]);
  // All were killed at once: the record of the lead is that of a process that is gone.
  const all = ask(new LeadershipPolicy(), { untilMs: 500 }, { ...beside, peers: [peer(0)] });
  expect(all).toEqual([{ atMs: SILENCE_MS, decision: { do: 'claim', why: 'raft_led' } }]);
});

test('a member that does not answer for a moment has not become raft’s leader anew', () => {
  const policy = new LeadershipPolicy();
  const beside = { raft: { leads: true, hasLeader: true }, peers: [holder] };
  expect(ask(policy, { untilMs: 200 }, beside)).toEqual([]);
  expect(ask(policy, { fromMs: 250, untilMs: 300 }, { ...beside, raft: undefined })).toEqual([]);
  expect(ask(policy, { fromMs: 350, untilMs: 1000 }, beside)).toEqual([]);
});

test('a silent holder is followed by the next live replica in the order of views', () => {
  const silent = peer(0, { fence: 5, heardAtMs: -10_000 });
  const first = ask(new LeadershipPolicy(), { untilMs: SILENCE_MS }, { peers: [silent] });
  expect(first).toEqual([{ atMs: SILENCE_MS, decision: { do: 'claim', why: 'leader_silent' } }]);
  const seen = { self: 2, peers: [silent, peer(1)] };
  const second = ask(new LeadershipPolicy(), { untilMs: SILENCE_MS + SILENCE_STEP_MS }, seen);
  expect(second).toEqual([
    { atMs: SILENCE_MS + SILENCE_STEP_MS, decision: { do: 'claim', why: 'leader_silent' } },
  ]);
  const dead = { self: 2, peers: [silent, peer(1, { heardAtMs: -10_000 })] };
  const alone = ask(new LeadershipPolicy(), { untilMs: SILENCE_MS }, dead);
  expect(alone).toEqual([{ atMs: SILENCE_MS, decision: { do: 'claim', why: 'leader_silent' } }]);
});

test('a holder that lives but does not say that it leads counts as silent', () => {
  const made = ask(new LeadershipPolicy(), { untilMs: SILENCE_MS }, { peers: [peer(0)] });
  expect(made.map(({ decision }) => decision)).toEqual([{ do: 'claim', why: 'leader_stuck' }]);
});

test('a holder that goes on committing keeps the lead, though its heartbeats do not come or do not say that it leads', () => {
  for (const peers of [[peer(0)], [peer(0, { fence: 5, heardAtMs: -10_000 })], []]) {
    const policy = new LeadershipPolicy();
    for (let nowMs = 0; nowMs <= 5000; nowMs += 50) {
      const heard = peers.map((each) =>
        each.heardAtMs < 0 ? each : { ...each, heardAtMs: nowMs },
      );
      const seen = { ...base, nowMs, peers: heard, leadCommittedAtMs: nowMs - 300 };
      expect(policy.decide(seen)).toEqual(nothing);
    }
    const made = ask(policy, { fromMs: 5050, untilMs: 6000 }, { peers, leadCommittedAtMs: 5000 });
    expect(made.map(({ atMs, decision }) => [atMs, decision.do])[0]).toEqual([
      5000 + SILENCE_MS,
      'claim',
    ]);
  }
});

test('no replica claims the lead while raft has no leader or while it is not up to date itself', () => {
  const silent = peer(0, { fence: 5, heardAtMs: -10_000 });
  const without = { raft: { leads: false, hasLeader: false }, peers: [silent] };
  expect(ask(new LeadershipPolicy(), { untilMs: 5000 }, without)).toEqual([]);
  expect(
    ask(new LeadershipPolicy(), { untilMs: 5000 }, { canLead: false, peers: [silent] }),
  ).toEqual([]);
  const unknown = { raft: undefined, peers: [silent] };
  expect(ask(new LeadershipPolicy(), { untilMs: 5000 }, unknown)).toEqual([]);
});

test('time in which this process stood still does not count as silence of others', () => {
  const policy = new LeadershipPolicy();
  policy.decide({ ...base, nowMs: 0, peers: [holder] });
  const woken = { ...base, nowMs: 9000, peers: [holder] };
  expect(policy.decide(woken)).toEqual(nothing);
  expect(policy.decide({ ...woken, nowMs: 9050, peers: [{ ...holder, heardAtMs: 9040 }] })).toEqual(
    nothing,
  );
});

test('where nobody has ever led, a replica that can lead does so soon, though its process stands still again and again', () => {
  const policy = new LeadershipPolicy();
  const made = [10_000, 10_300, 10_600, 10_900].map((nowMs) => {
    const { do: what } = policy.decide({ ...base, lead: undefined, self: 0, nowMs });
    return what;
  });
  expect(made).toEqual(['nothing', 'nothing', 'claim', 'nothing']);
});

test('raft’s lead follows the engine that has led well for a while', () => {
  const policy = new LeadershipPolicy();
  const raft = { leads: true, hasLeader: true };
  policy.decide({ ...base, nowMs: -50 });
  expect(ask(policy, { untilMs: 0 }, { raft, peers: [holder] })).toHaveLength(1);
  // Another replica was faster, so the claim here failed.
  const made = ask(policy, { fromMs: 50, untilMs: ALIGN_AFTER_MS }, { raft, peers: [holder] });
  expect(made).toEqual([{ atMs: ALIGN_AFTER_MS, decision: { do: 'moveRaft', memberId: 100n } }]);
});

test('a leader that has handed over does not claim for a while, whatever raft does', () => {
  const policy = new LeadershipPolicy();
  policy.decide({ ...base, nowMs: -50 });
  policy.abstain(ABSTAIN_MS);
  const silent = peer(0, { fence: 5, heardAtMs: -10_000 });
  const seen = { raft: { leads: true, hasLeader: true }, peers: [silent] };
  const made = ask(policy, { untilMs: ABSTAIN_MS }, seen);
  expect(made).toEqual([{ atMs: ABSTAIN_MS, decision: { do: 'claim', why: 'leader_silent' } }]);
});

test('a leader that has handed over may lead again as soon as another has led', () => {
  const policy = new LeadershipPolicy();
  policy.decide({ ...base, leading: true, nowMs: -50 });
  policy.abstain(ABSTAIN_MS);
  const raft = { leads: true, hasLeader: true };
  const lead = { replica: 2, fence: 6 };
  expect(ask(policy, { untilMs: 100 }, { lead, peers: [peer(2, { fence: 6 })] })).toEqual([]);
  const made = ask(policy, { fromMs: 150, untilMs: 300 }, { lead, raft, peers: [peer(2)] });
  expect(made).toEqual([{ atMs: 150, decision: { do: 'claim', why: 'raft_led' } }]);
});

test('when the holder gives the lead up, only who is beside raft’s leader claims, and at once', () => {
  const left = peer(0, { leftFence: 5 });
  const beside = { raft: { leads: true, hasLeader: true }, peers: [left] };
  for (const [seen, expected] of [
    [beside, [{ atMs: 300, decision: { do: 'claim', why: 'leader_left' } }]],
    [{ peers: [left] }, []],
    [{ ...beside, lead: { replica: 0, fence: 6 } }, []],
  ] as const) {
    const policy = new LeadershipPolicy();
    // Raft's lead came here earlier, and a claim answered it.
    policy.decide({ ...base, raft: { leads: true, hasLeader: true }, leading: true });
    ask(policy, { fromMs: 50, untilMs: 250 }, { ...seen, peers: [holder] });
    expect(ask(policy, { fromMs: 300, untilMs: 300 }, seen)).toEqual(expected);
  }
});
