import { useInfiniteQuery } from '@tanstack/react-query';
import type { Invoice } from '../../../../gen/api.ts';
import { invoicesQuery } from '../../data/settings-queries.ts';
import { shownMoney } from '../../lib/money.ts';
import { useOrganization } from '../../shell/context.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Badge, Skeleton, type Tone } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { When } from '../../ui/When.tsx';

const tones: Readonly<Record<Invoice['status'], Tone>> = {
  DRAFT: 'soft',
  OPEN: 'warn',
  PAID: 'good',
  UNCOLLECTIBLE: 'bad',
  VOID: 'soft',
};

/** The invoices that the provider of payments wrote. */
export function InvoicesCard() {
  const organization = useOrganization();
  const invoices = useInfiniteQuery(invoicesQuery(organization.id));
  const rows = invoices.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card title="Invoices">
      <Failed read={invoices} />
      {invoices.isPending && <Skeleton />}
      {invoices.isSuccess && rows.length === 0 && (
        <p>There is no invoice yet. The first one is written when a month with usage is over.</p>
      )}
      {rows.length > 0 && (
        <Table
          label="Invoices"
          heads={['Number', 'Status', 'Written', { title: 'Total', end: true }]}
          actions
        >
          {rows.map((invoice) => (
            <Row key={invoice.id} invoice={invoice} />
          ))}
        </Table>
      )}
      <More list={invoices} count={rows.length} what="invoices" />
    </Card>
  );
}

const Row = ({ invoice }: { readonly invoice: Invoice }) => {
  const name = invoice.number ?? 'the draft';
  const isOpen = invoice.status === 'OPEN';
  return (
    <tr>
      <td>
        <span className={table.name}>{invoice.number ?? 'draft'}</span>
      </td>
      <td>
        <Badge tone={tones[invoice.status]}>{invoice.status.toLowerCase()}</Badge>
      </td>
      <td className={table.keep}>
        <When at={invoice.createdAt} />
      </td>
      <td className={`${table.end} ${table.keep}`}>
        {shownMoney(invoice.total)}
        {isOpen && <div className={table.soft}>{shownMoney(invoice.remaining)} to pay</div>}
      </td>
      <td className={`${table.end} ${table.keep}`}>
        <Elsewhere url={invoice.pageUrl} text={isOpen ? 'Pay' : 'Show'} name={name} />
        <Elsewhere url={invoice.pdfUrl} text="PDF" name={name} />
      </td>
    </tr>
  );
};

interface ElsewhereProps {
  readonly url: string | null;
  readonly text: string;
  readonly name: string;
}

/** A link to the provider of payments, in a tab of its own. */
const Elsewhere = ({ url, text, name }: ElsewhereProps) =>
  url === null ? null : (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className={buttonClass('quiet', true)}
      aria-label={`${text}: ${name}`}
    >
      {text}
    </a>
  );
