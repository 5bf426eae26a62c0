/** Whether a new database can begin with a backup of data files: they are copied as they are. */
import { replicasOf } from '../../domain/catalog/topologies.ts';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import { releaseOfText } from '../../domain/import-files/file-head.ts';
import type { Choice } from '../databases/choose.ts';
import { volumeForFile } from '../../domain/import-files/volume-for-file.ts';
import type { Backup } from '../model/backup.ts';
import { Refusal, type FieldError } from '../model/refusal.ts';

/** Throws a `Refusal` unless engine, topology, version and volumes are such that the files fit. */
export function requireFilesFit(
  { facts }: Pick<Backup, 'facts'>,
  choice: Choice,
  { dropTimeouts }: { readonly dropTimeouts?: boolean | undefined },
  { engines }: CatalogSpec,
): void {
  if (choice.engine !== 'TigerBeetle') throw refusal([intoTigerBeetle]);
  const files = facts?.files?.files ?? [];
  const errors: FieldError[] = [];
  const misfit = (pointer: string, code: string, detail: string) =>
    void errors.push({ pointer, code, detail });
  if (dropTimeouts === true)
    misfit('#/dropTimeouts', 'timeouts_kept', 'Data files keep all timeouts. Leave it out.');
  if (replicasOf[choice.clusterConfiguration] !== files.length)
    misfit(
      '#/clusterConfiguration',
      'topology_differs',
      `The backup has the data files of ${files.length} replicas; choose a topology of as many.`,
    );
  const versions = engines.find(({ name }) => name === 'TigerBeetle')?.versions ?? [];
  const chosen = versions.find(({ version }) => version === choice.engineVersion);
  if (releaseNumber(chosen?.release) < releaseNumber(facts?.release))
    misfit(
      '#/engine',
      'release_newer',
      `Release ${facts?.release} of TigerBeetle wrote the files, and the new database would run version ${choice.engineVersion}.`,
    );
  const largest = Math.max(...files.map(({ sizeBytes }) => sizeBytes));
  const gib = volumeForFile(largest);
  if (gib > choice.selectedStorageGb)
    misfit(
      '#/selectedStorageGb',
      'files_too_large',
      `The largest file has ${largest} bytes. Volumes of ${gib} GiB have room for it, those of ${choice.selectedStorageGb} GiB have not.`,
    );
  if (errors.length > 0) throw refusal(errors);
}

const intoTigerBeetle: FieldError = {
  pointer: '#/engine',
  code: 'engine_unsupported',
  detail:
    'A backup of data files is restored into TigerBeetle only. Another backup, of rows, is restored into either engine.',
};

const refusal = (errors: readonly FieldError[]): Refusal =>
  new Refusal('catalog_choice_unavailable', {
    detail: errors.map(({ detail }) => detail).join(' '),
    errors,
  });

const releaseNumber = (release: string | undefined): number => releaseOfText(release ?? '') ?? 0;
