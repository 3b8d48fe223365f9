import { z } from 'zod';
import { upstreamOrigin } from '../values/addresses.ts';

/** Methods of OpenAPI that the platform forwards; HEAD comes with GET, and OPTIONS is the gateway's own (CORS). */
export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export type Method = (typeof methods)[number];

const any = z.unknown().optional();

const flag = z.boolean().default(false);

const day = z.iso.date('must be a day, as 2027-01-31');

/** Alternatives, each of one scheme with its scopes. */
const security = z.array(
  z
    .record(z.string(), z.array(z.string()))
    .refine((one) => Object.keys(one).length <= 1, 'names two schemes at once'),
);

const operation = z.strictObject({
  tags: z.array(z.string()).default([]),
  summary: any,
  description: any,
  externalDocs: any,
  operationId: z.string('is missing').regex(/^[A-Za-z][A-Za-z0-9]*$/, 'must be letters and digits'),
  parameters: z.array(z.unknown()).default([]),
  requestBody: any,
  responses: any,
  deprecated: flag,
  security: security.optional(),
  'x-upstream': z.string().optional(),
  /** Cost of a request in the hour; 1 where it is absent. */
  'x-cost': z.literal([0, 1]).optional(),
  /** Whether handshakes of WebSocket are forwarded. */
  'x-websocket': flag,
  /** Whether the gateway checks parameters and body. */
  'x-validate': flag,
  'x-deprecated-since': day.optional(),
  'x-sunset': day.optional(),
});

const pathItem = z.strictObject({
  summary: any,
  description: any,
  parameters: z.array(z.unknown()).default([]),
  ...(Object.fromEntries(methods.map((method) => [method, operation.optional()])) as Record<
    Method,
    z.ZodOptional<typeof operation>
  >),
});

const webhook = z.strictObject({ post: operation });

/** Milliseconds in the words of a document: `800ms`, `5s`. */
const duration = z
  .string()
  .regex(/^\d{1,5}(?:ms|s)$/, 'must be a time, as 800ms or 5s')
  .transform((text) => Number.parseInt(text, 10) * (text.endsWith('ms') ? 1 : 1_000))
  .pipe(z.number().min(1).max(18_000, 'must be 18s at most'));

const upstream = z.strictObject({
  origins: z.array(upstreamOrigin).min(1, 'names no origin'),
  timeout: duration.optional(),
});

const securityScheme = z.looseObject({
  type: z.string(),
  scheme: z.string().optional(),
  flows: z
    .looseObject({
      authorizationCode: z.looseObject({ scopes: z.record(z.string(), z.string()) }).optional(),
    })
    .optional(),
});

/** The parts of an OpenAPI 3.1 document that the platform reads. Other keys that OpenAPI has are published as they are. */
export const documentSchema = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/, 'must be 3.1'),
  info: z.looseObject({ title: z.string() }),
  servers: any,
  externalDocs: any,
  tags: z.array(z.looseObject({ name: z.string() })).default([]),
  paths: z.record(z.string(), pathItem).default({}),
  webhooks: z.record(z.string(), webhook).default({}),
  components: z
    .object({ securitySchemes: z.record(z.string(), securityScheme).default({}) })
    .catchall(z.record(z.string(), z.unknown()))
    .prefault({}),
  'x-upstreams': z
    .record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be lower-case letters, digits and -'), upstream)
    .default({}),
});

export type ApiDocument = z.output<typeof documentSchema>;

export type OperationObject = z.output<typeof operation>;
