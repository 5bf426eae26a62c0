import { access } from '../../model/access.ts';
import { answer, empty, jsonBody, type RouteSpec } from '../route.ts';
import { z } from 'zod';
import { cursor, emptyPage, exampleTime, limit, listOf } from '../schemas/common.ts';
import {
  openAdministratorSessionRequest,
  openedSession,
  ownSession,
  ownSessionExample,
  session,
  sessionExample,
} from '../schemas/session.ts';

const tag = 'Session';

export const sessionRoutes = {
  getSession: {
    method: 'GET',
    path: '/api/v1/session',
    tag,
    summary: 'Read the caller and their rights',
    access: access.caller,
    responses: { 200: answer('The session.', session, sessionExample) },
    problems: [],
  },
  openAdministratorSession: {
    method: 'POST',
    path: '/api/v1/session/administrator',
    tag,
    summary: 'Open the local administrator’s session',
    description:
      'With the bootstrap token of the installation. The cookie `__Host-session` is the credential; requests that change something also need the header X-CSRF-Token.',
    access: access.public,
    body: jsonBody(openAdministratorSessionRequest, { token: { token: 'lhb_…' } }),
    responses: {
      201: answer(
        'The session is open.',
        openedSession,
        { success: true, csrfToken: 'T0k3n', expiresAt: exampleTime },
        ['Set-Cookie'],
      ),
    },
    problems: ['invalid_credentials', 'csrf_failed'],
    cache: 'no-store, no-transform',
  },
  closeSession: {
    endsAccess: true,
    method: 'DELETE',
    path: '/api/v1/session',
    tag,
    summary: 'End the session',
    access: access.ownPerson,
    responses: { 204: empty('The session has ended.', ['Set-Cookie']) },
    problems: [],
  },
  listSessions: {
    method: 'GET',
    path: '/api/v1/sessions',
    tag,
    summary: 'List your sessions',
    description: 'The newest first.',
    access: access.ownPerson,
    query: z.strictObject({ limit, cursor }),
    responses: {
      200: answer('A page of sessions.', listOf(ownSession).meta({ id: 'SessionList' }), {
        data: [ownSessionExample],
        page: emptyPage,
      }),
    },
    problems: ['invalid_cursor'],
  },
  endSession: {
    endsAccess: true,
    method: 'DELETE',
    path: '/api/v1/sessions/{sessionId}',
    tag,
    summary: 'End one of your sessions',
    description: 'The session and all its tokens stop working at once.',
    access: access.ownPerson,
    responses: { 204: empty('The session has ended.') },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
