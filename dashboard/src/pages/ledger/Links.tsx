import { Link, useParams } from '@tanstack/react-router';
import { ShortId } from '../../ui/ShortId.tsx';

/** An ID that leads to its page. A long one is shown short. */
export function AccountLink({ id }: { readonly id: string }) {
  const params = useParams({ from: '/o/$slug/databases/$name' });
  return (
    <Link
      to="/o/$slug/databases/$name/explorer/accounts/$accountId"
      params={{ ...params, accountId: id }}
      search={{}}
      aria-label={id}
    >
      <code>
        <ShortId id={id} />
      </code>
    </Link>
  );
}

export function TransferLink({ id }: { readonly id: string }) {
  const params = useParams({ from: '/o/$slug/databases/$name' });
  return (
    <Link
      to="/o/$slug/databases/$name/explorer/transfers/$transferId"
      params={{ ...params, transferId: id }}
      aria-label={id}
    >
      <code>
        <ShortId id={id} />
      </code>
    </Link>
  );
}
