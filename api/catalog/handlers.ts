import type { catalogRoutes } from '../contract/routes/catalog.ts';
import { etagOf } from '../http/conditional.ts';
import type { HandlersOf } from '../http/handler.ts';
import { Refusal } from '../model/refusal.ts';
import type { CatalogView } from '../kubernetes/cluster-view.ts';
import { shownCatalog, type ImportTerms } from './shown-catalog.ts';

interface CatalogServices {
  readonly catalog: () => CatalogView | undefined;
  /** OpenAPI document of this API, with the addresses of this installation. */
  readonly document: { readonly openapi: string; readonly [key: string]: unknown };
  readonly imports: ImportTerms;
  /** Changes whenever the document does. */
  readonly documentVersion: string;
}

export const catalogHandlers = ({
  catalog,
  document,
  documentVersion,
  imports,
}: CatalogServices): HandlersOf<typeof catalogRoutes> => ({
  async getOpenapiDocument() {
    return { status: 200, etag: etagOf('openapi', documentVersion), body: document };
  },
  async getCreateCatalog() {
    const view = catalog();
    if (view === undefined) {
      throw new Refusal('service_unavailable', {
        detail:
          'No catalog exists yet. An administrator must apply a LedgerCatalog named "default" to the cluster.',
        retryAfterSeconds: 5,
      });
    }
    const importing = imports.supported ? `i${imports.bytesMax ?? ''}` : '';
    return {
      status: 200,
      etag: etagOf('catalog', `${view.version}${importing}`),
      body: shownCatalog(view, imports),
    };
  },
});
