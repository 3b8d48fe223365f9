import type { components, paths } from './generated/api.ts';

type Schemas = components['schemas'];
export type Business = Schemas['Business'];
export type Order = Schemas['Order'];
export type NewOrder = Schemas['NewOrder'];
export type OrderChange = Schemas['OrderChange'];
export type EventType = Schemas['EventType'];
/** A change of a resource; `type` decides what `data` is. */
export type BusinessEvent = Schemas['EventPage']['data'][number];

type Method = 'get' | 'post' | 'patch' | 'delete';
/** The class OAuth has the others. */
type Path = Exclude<keyof paths, '/oauth/authorize' | `/v2/oauth/${string}`>;

/** An operation of the OpenAPI document: its method and path, as `GET /v2/order/{id}`. */
export type Operation = {
  [P in Path]: { [M in Method]: paths[P][M] extends undefined ? never : `${Uppercase<M>} ${P}` }[Method];
}[Path];

type Described<Op extends Operation> = Op extends `${infer M} ${infer P extends Path}`
  ? Lowercase<M> extends infer Name extends keyof paths[P]
    ? NonNullable<paths[P][Name]>
    : never
  : never;

/** The body of a successful response. */
export type Data<Op extends Operation> =
  Described<Op> extends { responses: { 200: Json<infer Body> } | { 201: Json<infer Body> } } ? Body : never;

interface Json<Body> {
  content: { 'application/json': Body };
}

interface Parameters {
  query?: unknown;
  header?: unknown;
}

/** Parts of a request, besides its operation. */
export type Given<Op extends Operation> = (Described<Op> extends { parameters: infer All extends Parameters }
  ? { query?: All['query']; headers?: All['header'] } & (All extends { path: infer Values }
      ? { path: Values }
      : unknown)
  : never) &
  (Described<Op> extends { requestBody: Json<infer Content> } ? { body: Content } : unknown) & {
    signal?: AbortSignal | undefined;
  };

/** Operations that return pages. */
export type PagedOperation = 'GET /v2/order' | 'GET /v2/events';

/** One record of a page. */
export type Item<Op extends PagedOperation> = Data<Op> extends { data: (infer One)[] } ? One : never;
