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
      'State of the parts that requests depend on. The answer is 200 even if some do not work, since the API itself answers.',
    access: access.public,
    responses: { 200: answer('The health.', serviceHealth, serviceHealthExample) },
    problems: [],
    cache: 'no-store',
  },
} as const satisfies Record<string, RouteSpec>;
