import express, { type Express, type NextFunction, type RequestHandler } from 'express';

/**
 * An Express app that runs handlers in order, each when the one before calls `next`. Replaces Express's router, whose path
 * matching, closures and request properties take a twentieth of the time of a request. Exceptions and rejections fail the
 * exchange.
 */
export function createStepsApp(...steps: readonly RequestHandler[]): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');
  Object.defineProperty(app, 'router', { value: { handle: inOrder(steps) } });
  return app;
}

function inOrder(steps: readonly RequestHandler[]): RequestHandler {
  return (req, res) => {
    const { exchange } = req;
    const fail = (error: unknown) => exchange.fail(error);
    let index = 0;
    const next: NextFunction = (error?: unknown) => {
      const step = steps[index++];
      if (error !== undefined || step === undefined) {
        fail(error ?? new Error('no step has responded'));
        return;
      }
      try {
        const result: unknown = step(req, res, next);
        if (result instanceof Promise) result.catch(fail);
      } catch (thrown) {
        fail(thrown);
      }
    };
    next();
  };
}
