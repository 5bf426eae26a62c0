/** Backups in a store, as somebody would have asked for them. */
import type { createBackup } from '../../../api/store/backups.ts';
import { tester } from './store.ts';

type NewBackup = Parameters<typeof createBackup>[1];

/** A backup by hand that is kept until it is removed. Its resource has its name. */
export const newBackup = (
  facts: Pick<NewBackup, 'organizationId' | 'databaseId' | 'name' | 'kubernetesNamespace'> &
    Partial<NewBackup>,
): NewBackup => ({
  type: 'MANUAL',
  protected: false,
  expiresAt: null,
  schedule: null,
  resourceName: facts.name,
  actor: tester.actor,
  ...facts,
});
