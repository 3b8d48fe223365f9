import express, { type Express } from 'express';

/** An Express app that leaves paths, queries and conditional requests to its handlers. */
export function createBareApp(): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');
  app.enable('strict routing').enable('case sensitive routing');
  // Express makes a 304 of a 200 where it reads If-None-Match differently, also of a response that has no tag.
  Object.defineProperty(app.request, 'fresh', { get: () => false });
  return app;
}
