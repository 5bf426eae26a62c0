import { isProblem } from '../data/problem-error.ts';
import { Code } from './Code.tsx';

/** Whether a write was refused because there is another version than the one that the form began with. */
export const isLate = (error: unknown, present: string | undefined, seen: string | undefined) =>
  isProblem(error, 'precondition_failed') && present !== seen;

/** Says that somebody else changed what a form shows. `now`: what there is instead, a line for each field. */
export const Late = ({ now }: { readonly now: string }) => (
  <div role="status">
    <p>Somebody changed it meanwhile. Leave it, and change it again. It is now:</p>
    <Code text={now} what="what it is now" />
  </div>
);
