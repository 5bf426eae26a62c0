/** Text of the configuration of a database for people. */
import type { Configuration, Parameter, ProfileRevision } from '../../gen/api.ts';
import { orDash } from './answer.ts';
import { differenceText } from './change.ts';
import { capacityText, priceText } from './database.ts';
import { fields, table } from './table.ts';

export const configurationText = (configuration: Configuration): string =>
  fields([
    ['database', configuration.databaseId],
    ['revision', String(configuration.revision)],
    ['place', `${configuration.provider} / ${configuration.region}`],
    ['configuration', configuration.clusterConfiguration],
    ['size', configuration.clusterSize],
    ['storage', `${configuration.selectedStorageGb} GiB ${configuration.storageTier} each`],
    ['grows', growthText(configuration)],
    ['archives', archivingText(configuration)],
    ['streams', configuration.changeDataCapture.suspended ? 'suspended' : 'not suspended'],
    ['engine', `${configuration.engine} ${configuration.engineVersion}`],
    ['parameters', orDash(pairsText(configuration.parameters))],
    ['labels', orDash(pairsText(configuration.labels))],
    ['suspended', configuration.suspended ? 'yes' : 'no'],
    ['price', priceText(configuration.estimatedMonthlyPrice)],
    ['holds', capacityText(configuration.capacity)],
  ]);

const growthText = ({ autogrow }: Configuration): string =>
  autogrow === null ? 'no' : `by itself, up to ${autogrow.limitGb} GiB each`;

const archivingText = ({ continuousArchiving }: Configuration): string =>
  continuousArchiving === null ? 'no' : `within ${continuousArchiving.rpoSeconds} s`;

const pairsText = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

export const parametersText = (rows: readonly Parameter[]): string =>
  rows.length === 0
    ? '(no parameters)\n'
    : table(
        [
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'VALUE', cell: ({ value }) => orDash(value) },
          { title: 'DEFAULT', cell: ({ defaultValue }) => orDash(defaultValue) },
          { title: 'TYPE', cell: ({ type }) => type },
          { title: 'FROM', cell: ({ min }) => orDash(min), align: 'right' },
          { title: 'TO', cell: ({ max }) => orDash(max), align: 'right' },
          { title: 'CHANGE', cell: changeText },
          { title: 'DESCRIPTION', cell: ({ description }) => description },
        ],
        rows,
      );

function changeText({ immutable, restartRequired }: Parameter): string {
  if (immutable) return 'never';
  return restartRequired ? 'restarts' : 'at once';
}

export const revisionsText = (rows: readonly ProfileRevision[]): string =>
  rows.length === 0
    ? '(no revisions)\n'
    : table(
        [
          {
            title: 'REVISION',
            cell: ({ revision, active }) => (active ? `${revision} *` : String(revision)),
          },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'CHANGE', cell: ({ diff }) => orDash(diff.map(differenceText).join('; ')) },
          { title: 'BY', cell: ({ actor }) => orDash(actor && `${actor.display} (${actor.type})`) },
          { title: 'CREATED', cell: ({ createdAt }) => createdAt },
        ],
        rows,
      );
