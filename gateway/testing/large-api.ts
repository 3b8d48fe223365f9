import { shopDocument, shopOperation } from './own-api.ts';

/** Nouns of a large public API, each with ten operations. */
const nouns = 50;

/** The paths of a noun, in the way of payment APIs: records, a search and actions beside them, records below them. */
const operationsOf = (noun: string): [path: string, methods: readonly string[]][] => [
  [`/v2/${noun}`, ['get', 'post']],
  [`/v2/${noun}/search`, ['get']],
  [`/v2/${noun}/{${noun}_id}`, ['get', 'patch', 'delete']],
  [`/v2/${noun}/{${noun}_id}/cancel`, ['post']],
  [`/v2/${noun}/{${noun}_id}/sources`, ['get']],
  [`/v2/${noun}/{${noun}_id}/sources/{source_id}`, ['get', 'delete']],
];

/** A document of 500 operations. */
export function largeDocument() {
  const names = Array.from({ length: nouns }, (_, index) => `noun${index}`);
  const paths = Object.fromEntries(
    names.flatMap(operationsOf).map(([path, methods]) => {
      const item = methods.map((method) => [method, describedOperation(method, path)]);
      return [path, Object.fromEntries(item)];
    }),
  );
  return shopDocument(paths);
}

/** With what a document tells its readers, as it counts for the time of reading. */
function describedOperation(method: string, path: string) {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, description: 'Identifier.', schema: { type: 'string' } };
  });
  const limit = {
    name: 'limit',
    in: 'query',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  };
  const schema = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, amount: { type: 'integer' }, created_at: { type: 'string' } },
  };
  return shopOperation(`${method}${path.replaceAll(/\W|_/g, '')}`, {
    tags: ['Shop'],
    summary: `${method} ${path}`,
    description: 'Returns what there is, newest first. For the next page, send `next_cursor` as `cursor`.',
    parameters: [...parameters, limit],
    responses: { 200: { description: 'The record.', content: { 'application/json': { schema } } } },
  });
}
