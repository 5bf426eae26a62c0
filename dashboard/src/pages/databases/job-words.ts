/** `start_replicas` as `Start replicas`, `backup.create` as `Backup create`. */
export function jobWords(name: string): string {
  const text = name.replace(/^database\./, '').replaceAll(/[_.]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
