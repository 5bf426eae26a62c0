/**
 * TypeScript types of OpenAPI schemas, by openapi-typescript, which needs its own version of TypeScript (see package.json here).
 */
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';

/** Read-only types, named after the keys of `schemas`. */
export async function typesOf(
  title: string,
  schemas: Readonly<Record<string, unknown>>,
): Promise<string> {
  const document = {
    openapi: '3.1.0',
    info: { title, version: '1' },
    paths: {},
    components: { schemas },
  } as unknown as OpenAPI3;
  return written(document, { defaultNonNullable: true });
}

/**
 * Types of a whole document: `paths`, `operations`, and its schemas by name. A request may omit properties with a default;
 * answers have no defaults.
 */
export const typesOfDocument = (document: unknown): Promise<string> =>
  written(document as OpenAPI3, { defaultNonNullable: false });

/** `defaultNonNullable`: properties with a default are always present, as in objects that an API server has completed. */
async function written(
  document: OpenAPI3,
  options: { readonly defaultNonNullable: boolean },
): Promise<string> {
  const nodes = await openapiTypescript(document, {
    ...options,
    immutable: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
  });
  return astToString(nodes);
}
