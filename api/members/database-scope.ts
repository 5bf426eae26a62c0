/** A member's databases: conversion between the store's form (null for all) and the contract's. */
import { restrictableRoles, type Role } from '../model/access.ts';
import { notThere } from '../http/gate.ts';
import { Refusal } from '../model/refusal.ts';
import { findDatabase } from '../store/databases.ts';
import type { Reader } from '../store/tables.ts';

type MemberScope =
  | { readonly type: 'ALL' }
  | { readonly type: 'DATABASES'; readonly databaseIds: readonly string[] };

export const shownScope = (databaseIds: readonly string[] | null) =>
  databaseIds === null ? ({ type: 'ALL' } as const) : ({ type: 'DATABASES', databaseIds } as const);

/** Throws if the role cannot be restricted, or a database does not belong to the organization. */
export async function checkedScope(
  db: Reader,
  organizationId: string,
  role: Role,
  scope: MemberScope,
): Promise<readonly string[] | null> {
  if (scope.type === 'ALL') return null;
  if (!restrictableRoles.includes(role)) {
    const detail = `Must be ALL for the role ${role}; ${restrictableRoles.join(' and ')} can be restricted.`;
    throw new Refusal('validation_failed', {
      detail: `#/databaseScope: ${detail}`,
      errors: [{ pointer: '#/databaseScope', code: 'not_for_role', detail }],
    });
  }
  const databaseIds = [...new Set(scope.databaseIds)];
  for (const databaseId of databaseIds) {
    const database = await findDatabase(db, organizationId, databaseId);
    if (database === undefined) throw notThere('databaseId', databaseId);
  }
  return databaseIds;
}
