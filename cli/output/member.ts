/** Text of members and invitations for people. */
import type { Invitation, Member } from '../../gen/api.ts';
import { orDash } from './answer.ts';
import { fields, table } from './table.ts';

export const membersText = (rows: readonly Member[]): string =>
  rows.length === 0
    ? '(no members)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'NAME', cell: ({ user }) => user.name },
          { title: 'ADDRESS', cell: ({ user }) => orDash(user.email) },
          { title: 'ROLE', cell: (row) => row.role },
          { title: 'DATABASES', cell: ({ databaseScope }) => scopeText(databaseScope) },
          { title: 'JOINED', cell: ({ createdAt }) => createdAt },
        ],
        rows,
      );

export const memberText = (member: Member): string =>
  fields([
    ['id', member.id],
    ['name', member.user.name],
    ['address', orDash(member.user.email)],
    ['user', member.user.id],
    ['role', member.role],
    ['databases', scopeText(member.databaseScope)],
    ['joined', member.createdAt],
    ['changed', member.updatedAt],
  ]);

export const invitationsText = (rows: readonly Invitation[]): string =>
  rows.length === 0
    ? '(no invitations)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'ADDRESS', cell: ({ email }) => email },
          { title: 'ROLE', cell: (row) => row.role },
          { title: 'DATABASES', cell: ({ databaseScope }) => scopeText(databaseScope) },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'SENT', cell: ({ sentAt }) => sentAt },
          { title: 'EXPIRES', cell: ({ expiresAt }) => expiresAt },
          { title: 'BY', cell: ({ createdBy }) => createdBy.display },
        ],
        rows,
      );

const scopeText = (scope: Member['databaseScope']): string =>
  'databaseIds' in scope ? scope.databaseIds.join(',') : 'all';
