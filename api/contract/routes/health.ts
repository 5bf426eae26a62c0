import { access } from '../../model/access.ts';
import { answer, type RouteSpec } from '../route.ts';
import { serviceHealth, serviceHealthExample } from '../schemas/health.ts';

export const healthRoutes = {
  getHealth: {
    method: 'GET',
    path: '/api/v1/health',
    tag: 'Health',
    summary: 'Health of the service',
    description:
      'Whether the parts work that requests depend on. The answer is 200 also when some do not, since the API itself answers.',
    access: access.public,
    responses: { 200: answer('The health.', serviceHealth, serviceHealthExample) },
    problems: [],
    cache: 'no-store',
  },
} as const satisfies Record<string, RouteSpec>;
