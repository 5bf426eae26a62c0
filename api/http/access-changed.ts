/** Reason for ending a stream: its caller lost access, or has other rights than before. */
export class AccessChanged extends Error {
  override readonly name = 'AccessChanged';

  constructor() {
    super('the access of the caller has changed');
  }
}
