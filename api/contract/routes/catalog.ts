import { z } from 'zod';
import { access } from '../../model/access.ts';
import { answer, type RouteSpec } from '../route.ts';
import { catalogExample, createCatalog } from '../schemas/catalog.ts';

export const catalogRoutes = {
  getOpenapiDocument: {
    method: 'GET',
    path: '/api/v1/openapi.json',
    tag: 'Description',
    summary: 'This description',
    access: access.public,
    responses: {
      200: answer('OpenAPI 3.1.', z.looseObject({ openapi: z.string() }), { openapi: '3.1.1' }),
    },
    problems: [],
    conditional: 'read',
    cache: 'public, max-age=60',
  },
  getCreateCatalog: {
    method: 'GET',
    path: '/api/v1/catalog/create',
    tag: 'Catalog',
    summary: 'Read the catalog',
    description:
      'All choices with the IDs for the create request, which of them are compatible and why not, and prices.',
    access: access.any,
    responses: { 200: answer('The catalog.', createCatalog, catalogExample) },
    problems: ['service_unavailable'],
    conditional: 'read',
    cache: 'private, max-age=60',
  },
} as const satisfies Record<string, RouteSpec>;
