import express, { type Express } from 'express';

/** An Express app that leaves paths, queries and conditional requests to its handlers. */
export function createBareApp(): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');
  app.enable('strict routing').enable('case sensitive routing');
  // Express reads If-None-Match differently and would turn 200 into 304, even for a response without a tag.
  Object.defineProperty(app.request, 'fresh', { get: () => false });
  return app;
}
