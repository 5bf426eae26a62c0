/** Text of imports for people. */
import type { Import } from '../../gen/api.ts';
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
          { title: 'REPLICAS', cell: ({ replicaCount }) => String(replicaCount), align: 'right' },
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
    ['replicas', String(shown.replicaCount)],
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
  return `${head}\n${files}`;
}
