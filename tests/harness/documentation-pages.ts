/** Paths of the documentation: the guides, then the reference. */
export const documentationPages = [
  '/docs',
  '/docs/first-call',
  '/docs/sandbox',
  '/docs/oauth',
  '/docs/events',
  '/docs/webhooks',
  '/docs/reconcile',
  '/docs/client',
  '/docs/browser',
  '/docs/errors',
  '/docs/limits',
  '/docs/key-hygiene',
  '/docs/roles',
  '/docs/versions',
  '/docs/reference',
] as const;
