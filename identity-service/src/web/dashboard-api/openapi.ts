import { z } from 'zod';
import { cookieName } from '../sessions/cookie-name.ts';
import { neededRole, noBody, type Spec } from './spec.ts';

/** Body of every error. */
const errorSchema = z.strictObject({
  error: z.string().describe('A sentence for the person at the screen.'),
  status: z.string().describe('The reason phrase of the HTTP status.'),
  code: z.int().describe('The HTTP status.'),
  reason: z.string().optional().describe('A stable word for programs.'),
  fields: z.record(z.string(), z.string()).optional().describe('What is wrong with each field.'),
});

type Json = Readonly<Record<string, unknown>>;

/** Converts schemas to JSON Schema and collects the named ones (`.meta({ id })`), so that each is written once. */
function collectSchemas() {
  const named = new Map<string, Json>();
  return {
    jsonOf(schema: z.ZodType, io: 'input' | 'output'): Json {
      const { $schema, $defs = {}, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
      for (const [name, definition] of Object.entries($defs)) named.set(name, pointToComponents(definition));
      return pointToComponents(json);
    },
    /** Every named schema, by name. */
    components: (): Json => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function pointToComponents(json: object): Json {
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** For whom an API is, and where. */
export interface Audience {
  readonly title: string;
  readonly description: string;
  /** Path below which its operations are. */
  readonly base: string;
  /** Least role that may call an operation. */
  readonly roleOf: (spec: Spec) => string;
}

const sessionWords =
  'It requires the session cookie of a logged-in person and, except for GET, the CSRF token of that session.';

/** The API of the dashboard. */
export const dashboardAudience: Audience = {
  title: 'Dashboard API',
  description: `The API of the dashboard in the browser. ${sessionWords} A response with the header X-CSRF-Token has replaced the session; the header holds its token. Programs use the public API.`,
  base: '/dashboard-api',
  roleOf: (spec) => neededRole(spec) ?? 'person',
};

/** The API of the operators' console. */
export const operatorsAudience: Audience = {
  title: 'Operators’ API',
  description: `The API of the operators' console in the browser. ${sessionWords} The person must be an operator, and have logged in with the second factor lately.`,
  base: '/operators/api/v1',
  roleOf: ({ path }) => (path === '/join' ? 'person' : 'operator'),
};

/** The OpenAPI 3.1 document of an API for pages, made from what its operations declare. */
export function describeOperations(specs: readonly Spec[], publicUrl: string, audience: Audience): Json {
  const { title, description, base, roleOf } = audience;
  const schemas = collectSchemas();
  const paths: Record<string, Record<string, Json>> = {};
  for (const spec of specs) {
    paths[spec.path] = {
      ...paths[spec.path],
      [spec.method.toLowerCase()]: operationOf(spec, roleOf(spec), schemas.jsonOf),
    };
  }
  return {
    openapi: '3.1.1',
    info: { title, version: '1', description },
    servers: [{ url: `${publicUrl}${base}` }],
    paths,
    components: {
      schemas: { ...schemas.components(), Error: z.toJSONSchema(errorSchema, { io: 'output' }) },
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName('session', publicUrl),
        },
        csrfToken: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token' },
      },
    },
  };
}

type JsonOf = ReturnType<typeof collectSchemas>['jsonOf'];

function operationOf(spec: Spec, role: string, jsonOf: JsonOf): Json {
  const hasBody = !Object.is(spec.body, noBody);
  return {
    operationId: spec.id,
    summary: spec.summary,
    tags: [tagOf(spec.path)],
    'x-role': role,
    security: [{ session: [], ...(spec.method !== 'GET' && { csrfToken: [] }) }],
    parameters: parametersOf(spec, jsonOf),
    ...(hasBody && { requestBody: { required: true, content: requestContentOf(spec, jsonOf) } }),
    responses: { ...successOf(spec, jsonOf), ...errorsOf(spec, hasBody) },
  };
}

function requestContentOf({ body, upload }: Spec, jsonOf: JsonOf): Json {
  if (upload === undefined) return { 'application/json': { schema: jsonOf(body, 'input') } };
  return Object.fromEntries(
    upload.mediaTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
  );
}

function tagOf(path: string): string {
  return path.replace('/businesses/{businessId}', '').split('/')[1] || 'business';
}

function parametersOf({ path, query }: Spec, jsonOf: JsonOf): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', pattern: '^[\\w-]{1,64}$' },
  }));
  const shape = query instanceof z.ZodObject ? Object.entries(query.shape) : [];
  const inQuery = shape.map(([name, schema]) => ({
    name,
    in: 'query',
    required: !(schema instanceof z.ZodOptional || schema instanceof z.ZodDefault),
    schema: jsonOf(schema, 'input'),
  }));
  return [...inPath, ...inQuery];
}

function successOf({ status = 200, response, mediaType }: Spec, jsonOf: JsonOf): Json {
  if (Object.is(response, noBody)) return { [status]: { description: 'Done.' } };
  const content = { [mediaType ?? 'application/json']: { schema: jsonOf(response, 'output') } };
  return { [status]: { description: 'Done.', content } };
}

const errorTexts: Readonly<Record<number, string>> = {
  400: 'Invalid input; `fields` names the invalid fields.',
  401: 'Not logged in.',
  403: 'The CSRF token is missing or old, or the role is not enough. `second_factor_required`: the business requires a second factor, and the person has none. Of the operators’ API: `reason` says what is missing.',
  404: 'No such thing in a business of this person.',
  409: 'Not in the state in which things are.',
  413: 'The body is larger than 64 kB, or the file than its operation takes.',
  415: 'The body is of another type.',
  429: 'Too many attempts.',
  500: 'An unexpected error.',
  503: 'A dependency is not available.',
};

function errorsOf({ path, method }: Spec, hasBody: boolean): Json {
  const always = [400, 401, 403, 500, 503];
  const written = method === 'GET' ? [429] : [409, 429];
  const codes = [...always, ...written, ...(path.includes('{') ? [404] : []), ...(hasBody ? [413, 415] : [])];
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries(codes.sort().map((code) => [code, { description: errorTexts[code], content }]));
}
