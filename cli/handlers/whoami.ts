import type { Handler } from '../command.ts';
import type { Session } from '../../gen/api.ts';
import { ExitCode } from '../exit-code.ts';
import { contractRequest, receive } from '../http/contract.ts';
import { orDash, printAnswer } from '../output/answer.ts';
import { fields } from '../output/table.ts';

export const whoami: Handler = async (context, input) => {
  const { settings, exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', '/api/v1/session'));
  printAnswer(context, input, received, (session) => sessionText(session, settings.baseUrl));
  return ExitCode.Ok;
};

/** Organizations that `--organization` can name. */
const organizationsOf = (organizations: Session['organizations']) =>
  organizations.length < 2
    ? []
    : organizations.map(
        ({ id, name, role }) => ['belongs to', `${name} (${id}) as ${role ?? '-'}`] as const,
      );

function organizationText(organization: Session['organization']): string {
  if (organization === null) return '-';
  const { name, id, role } = organization;
  return role === null ? `${name} (${id})` : `${name} (${id}) as ${role}`;
}

type Scope = Session['credential']['databaseScope'];

function scopeText(scope: Scope): string {
  if ('databaseId' in scope) return scope.databaseId;
  return 'databaseIds' in scope ? scope.databaseIds.join(', ') : 'all';
}

function sessionText(
  { credential, organization, organizations, user, limits, service }: Session,
  baseUrl: string,
): string {
  const { databaseScope: scope } = credential;
  return fields([
    ['service', `${baseUrl}, version ${service.version}`],
    ...(service.notice === null ? [] : [['notice', service.notice] as const]),
    ['organization', organizationText(organization)],
    ['user', orDash(user?.display)],
    ...organizationsOf(organizations),
    ['credential', `${credential.type} ${credential.name} (${credential.id})`],
    ['permissions', orDash(credential.permissions.join(', '))],
    ['databases', scopeText(scope)],
    ['expires', orDash(credential.expiresAt ?? 'never')],
    ['limits', `${limits.maxDatabases} databases, ${limits.requestsPerMinute} requests a minute`],
  ]);
}
