/** `ledger-engine`: the ledger engine's command line. */
import { backups } from './commands/backup/list.ts';
import { backupCluster } from './commands/backup/cluster.ts';
import { backupFile } from './commands/backup/data-files/back-up-file.ts';
import { backupFiles } from './commands/backup/data-files/complete.ts';
import { restoreFileVerb } from './commands/backup/data-files/restore-file.ts';
import { verifyFilesVerb } from './commands/backup/data-files/verify.ts';
import { backup } from './commands/backup/make.ts';
import { removeVerb } from './commands/backup/remove.ts';
import { archive } from './commands/backup/archive.ts';
import { recoveryWindows, restorePreview } from './commands/backup/moments.ts';
import { restoreFromBackup } from './commands/backup/restore.ts';
import { backupKeys } from './commands/backup/keys.ts';
import { restoreToCluster } from './commands/backup/restore-cluster.ts';
import { sweepVerb } from './commands/backup/sweep.ts';
import { verify } from './commands/backup/verify.ts';
import { benchmark } from './commands/benchmark.ts';
import { runProgram } from './commands/command-line.ts';
import { exportFile } from './commands/export.ts';
import { fetchFromImport } from './commands/fetch-import.ts';
import { format } from './commands/format.ts';
import { importRowsVerb } from './commands/import-rows.ts';
import { inspect } from './commands/inspect.ts';
import { recover } from './commands/recover.ts';
import { restoreFromImport } from './commands/restore-import.ts';
import { reshape } from './commands/reshape.ts';
import { restore } from './commands/restore.ts';
import { restoreRows } from './commands/rows/restore-rows.ts';
import { tryRows } from './commands/rows/try-rows.ts';
import { start } from './commands/start.ts';
import { version } from './commands/version.ts';

await runProgram(
  {
    name: 'ledger-engine',
    verbs: [
      format,
      start,
      recover,
      reshape,
      exportFile,
      restore,
      inspect,
      backup,
      backupCluster,
      backupFile,
      backupFiles,
      backups,
      verify,
      verifyFilesVerb,
      restoreFromBackup,
      restoreFileVerb,
      restoreToCluster,
      archive,
      recoveryWindows,
      restorePreview,
      restoreFromImport,
      fetchFromImport,
      importRowsVerb,
      tryRows,
      restoreRows,
      removeVerb,
      sweepVerb,
      backupKeys,
      version,
      benchmark,
    ],
  },
  process.argv.slice(2),
);
