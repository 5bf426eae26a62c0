/** A write was not sent because this process may not be the leader any more. It must not be retried. */
export class LostLeadership extends Error {
  override readonly name = 'LostLeadership';
  readonly reason = 'LostLeadership';

  constructor() {
    super('not written: this process does not hold the lease');
  }
}
