/** Why reigns begin and end, for the engine's log and its metrics. Each reign interrupts clients for a moment. */

/**
 * Reasons for which a replica takes the lead:
 * - `raft_led`: its etcd member became raft's leader.
 * - `leader_left`: the leader handed over, and this replica is beside raft's leader.
 * - `leader_silent`: no heartbeat of the leader came for 0.4 s or more.
 * - `leader_stuck`: heartbeats of the leading replica came, but said for as long that it does not lead: its etcd member does
 *   not answer, or its process was restarted.
 * - `late_answer`: an earlier claim has succeeded after all, whose answer was lost.
 */
export const claimReasons = [
  'raft_led',
  'leader_left',
  'leader_silent',
  'leader_stuck',
  'late_answer',
] as const;
export type ClaimReason = (typeof claimReasons)[number];

/**
 * Reasons for which a replica hands the lead over: its process stops, its clock must not give timestamps, or pages that its next
 * operation needs are damaged and nobody has given them yet.
 */
export type HandOverReason = 'stopping' | 'clock_disagrees' | 'pages_damaged';

/**
 * Reasons for which a reign ends, besides the end of the process:
 * - `stopping`, `clock_disagrees`, `pages_damaged`: a hand-over.
 * - `replaced`: another replica has claimed the lead.
 * - `not_taken_over`: this replica had claimed the lead and did not become able to lead in time.
 */
export const endReasons = [
  'stopping',
  'clock_disagrees',
  'pages_damaged',
  'replaced',
  'not_taken_over',
] as const;
export type EndReason = (typeof endReasons)[number];

/** Numbers of reigns since the process started. */
export interface ReignCounts {
  readonly begun: ReadonlyMap<ClaimReason, number>;
  readonly ended: ReadonlyMap<EndReason, number>;
}
