const jobs: Readonly<Record<string, string>> = {
  'backup.create': 'Backup',
  'backup.delete': 'Removal of a backup',
  'backup.verify': 'Test restore',
  'database.restore_deleted': 'Restore',
};

/** The name of a job, a step or a status for people: `start_replicas` as `Start replicas`, `backup.verify` as `Test restore`. */
export function jobWords(name: string): string {
  const text = jobs[name] ?? name.replace(/^database\./, '').replaceAll(/[_.]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
