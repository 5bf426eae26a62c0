/** TypeScript types of OpenAPI schemas: openapi-typescript, which needs a TypeScript of its own (see package.json here). */
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';

/** Types named after `schemas`' keys, all of them read-only. */
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
 * Types of a whole document: `paths`, `operations`, and its schemas by name. Who sends a request need not send what has a
 * default; of answers nothing has one.
 */
export const typesOfDocument = (document: unknown): Promise<string> =>
  written(document as OpenAPI3, { defaultNonNullable: false });

/** `defaultNonNullable`: what has a default is there, as in objects that an API server has completed. */
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
