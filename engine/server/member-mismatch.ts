/** The command line does not match the data file; the message says what to do. */
export class MemberMismatch extends Error {
  override readonly name = 'MemberMismatch';
  readonly code = 'member_mismatch';
}
