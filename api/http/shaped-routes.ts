/**
 * Routes by the shape of their paths: the number of parts, and the first word after `/api/v1/`. A request is compared only with
 * the few paths of its own shape, instead of with all in turn.
 */
import { Router, type RequestHandler } from 'express';

export class ShapedRoutes {
  readonly #routers = new Map<string, Router>();

  /** The router for a path with `:parameters`; none of them may be the first word. */
  at(path: string): Router {
    const shape = shapeOf(path);
    const known = this.#routers.get(shape);
    if (known !== undefined) return known;
    const made = Router({ caseSensitive: true, strict: true });
    this.#routers.set(shape, made);
    return made;
  }

  readonly handle: RequestHandler = (request, response, next) => {
    const router = this.#routers.get(shapeOf(request.path));
    if (router === undefined) next();
    else router(request, response, next);
  };
}

function shapeOf(path: string): string {
  const parts = path.split('/');
  return `${parts.length} ${parts[3] ?? ''}`;
}
