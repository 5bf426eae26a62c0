/** Text of imports for people. */
import type { Import } from '../../gen/api.ts';
import { printable } from './printable.ts';
import { orDash } from './answer.ts';
import { shownFigure } from './metrics.ts';
import { fields, table } from './table.ts';

export const importsText = (rows: readonly Import[]): string =>
  rows.length === 0
    ? '(no imports)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'CLUSTER', cell: ({ clusterId }) => orDash(clusterId) },
          { title: 'REPLICAS', cell: ({ replicaCount }) => orDash(replicaCount), align: 'right' },
          {
            title: 'SIZE',
            cell: (row) => shownFigure(sumOf(row, 'sizeBytes'), 'bytes'),
            align: 'right',
          },
          {
            title: 'UPLOADED',
            cell: (row) => shownFigure(sumOf(row, 'uploadedBytes'), 'bytes'),
            align: 'right',
          },
          { title: 'DATABASE', cell: ({ databaseId }) => orDash(databaseId) },
          { title: 'EXPIRES', cell: ({ expiresAt }) => expiresAt },
          { title: 'CREATED', cell: ({ createdAt }) => createdAt },
        ],
        rows,
      );

const sumOf = ({ files }: Import, field: 'sizeBytes' | 'uploadedBytes'): number =>
  files.reduce((sum, file) => sum + file[field], 0);

type ImportedFile = Import['files'][number];

export function importText(shown: Import): string {
  const head = fields([
    ['id', shown.id],
    ['status', shown.status],
    ['cluster', orDash(shown.clusterId)],
    ['kind', shown.kind === 'ROWS' ? 'accounts and transfers' : 'data files'],
    ['replicas', orDash(shown.replicaCount)],
    ['database', orDash(shown.databaseId)],
    ['expires', shown.expiresAt],
    ['created', shown.createdAt],
  ]);
  const files = table<ImportedFile>(
    [
      { title: 'REPLICA', cell: ({ replicaIndex }) => String(replicaIndex) },
      { title: 'NAME', cell: ({ name }) => orDash(name) },
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'SIZE', cell: ({ sizeBytes }) => shownFigure(sizeBytes, 'bytes'), align: 'right' },
      {
        title: 'UPLOADED',
        cell: ({ uploadedBytes }) => shownFigure(uploadedBytes, 'bytes'),
        align: 'right',
      },
      { title: 'RELEASE', cell: ({ head: known }) => orDash(known?.release) },
      { title: 'OP', cell: ({ head: known }) => orDash(known?.op) },
      { title: 'STATE HASH', cell: ({ head: known }) => orDash(known?.stateHash) },
    ],
    shown.files,
  );
  return `${head}\n${files}${reportText(shown.report)}`;
}

function reportText(report: Import['report']): string {
  if (report === null) return '';
  const { accounts, transfers, faultCount, faults } = report;
  const lines = faults.map(({ file, line, field, code, detail }) => {
    const place = [file ?? '', ...(line === 0 ? [] : [line])].join(':');
    const what = field === null ? detail : `${field}: ${detail}`;
    return printable(`${place === '' ? '' : `${place}: `}${what} (${code})`);
  });
  const more = faultCount - faults.length;
  const end = more === 0 ? [] : [`${more} more faults are not listed`];
  const head = `tried ${accounts} accounts and ${transfers} transfers: ${faultCount} faults`;
  return `\n${[head, ...lines, ...end].join('\n')}\n`;
}
