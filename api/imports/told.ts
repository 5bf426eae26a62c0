/** The part of a trial's condition that tenants may read. Pure. */
import { ImportReason } from '../../domain/conditions.ts';
import type { ImportObject } from '../../domain/custom-resources.ts';

const again = 'Begin another import.';

/** Words for each reason of a trial that has no report. The messages have endpoint, bucket, nodes and words of the store. */
const words: Readonly<Partial<Record<string, string>>> = {
  [ImportReason.StoreNotConfigured]: 'The service has no store for it.',
  [ImportReason.Waiting]: 'It waited for its turn.',
  [ImportReason.Running]: 'It took longer than it may. Import fewer rows.',
  [ImportReason.Delayed]: 'There was no room for it, or its program did not start.',
  [ImportReason.StoreUnreachable]: `The store of the files did not answer. ${again}`,
  [ImportReason.StoreRefused]: `The store of the files refused the requests. ${again}`,
  [ImportReason.FilesMissing]: `A file is no longer in the store. ${again}`,
  [ImportReason.FilesChanged]: `A file in the store is not the one that was uploaded. ${again}`,
  [ImportReason.TooLarge]:
    'The ledger of these rows needs more memory or room than a trial has. Import fewer rows, or make data files with ledger-engine import-rows and import those.',
  [ImportReason.Failed]: `Its program failed. ${again}`,
};

/** Why a trial has no report, and where its operators find out more. */
export function toldOfTrial(found: ImportObject | undefined): string {
  const condition = found?.status?.conditions?.[0];
  if (found === undefined || condition === undefined)
    return 'The operator does not look after it. Tell the operators of the service.';
  const told = words[condition.reason] ?? 'It could not be made.';
  return `${told} The operators of the service find out more at the LedgerImport ${found.metadata.name}.`;
}
