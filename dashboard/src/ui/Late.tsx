import { Code } from './Code.tsx';

/** Says that somebody else changed what a form shows. `now`: what there is instead, a line for each field. */
export const Late = ({ now }: { readonly now: string }) => (
  <div role="status">
    <p>Somebody changed it meanwhile. Leave it, and change it again. It is now:</p>
    <Code text={now} what="what it is now" />
  </div>
);
