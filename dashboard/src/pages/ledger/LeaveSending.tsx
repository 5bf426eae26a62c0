import { LeaveQuestion } from '../../ui/LeaveQuestion.tsx';

/** Asks before the draft and its IDs are lost while it is not known whether its records were made. */
export const LeaveSending = ({ what }: { readonly what: string }) => (
  <LeaveQuestion
    title="Leave without the answer?"
    about={`It is not known whether the ${what} were made. Stay, and send the same again: they keep their IDs, so none is made twice. If you leave, look into the ledger before making them anew.`}
  />
);
