import { Fragment } from 'react';

/** An amount in a narrow place: it goes on in another line behind a separator, never within a group of digits. */
export const Digits = ({ text }: { readonly text: string }) =>
  text.split(/(?<=,)/).map((group, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- groups have no other identity
    <Fragment key={index}>
      {group}
      <wbr />
    </Fragment>
  ));
