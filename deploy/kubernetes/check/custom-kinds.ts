import { z } from 'zod';
import { type Manifest, nameOf } from './values.ts';

/* Kinds of cert-manager and of the Prometheus operator, with the fields that deploy/kubernetes uses. Other fields are errors. */

const metadata = z.looseObject({ name: z.string(), namespace: z.string().optional() });
const duration = z.string().regex(/^\d+h$/);

const labels = z.record(z.string(), z.string());

/** Metadata with at least one label, by which a Prometheus of the operator selects what it loads. */
const selected = metadata.extend({
  labels: labels.refine((found) => Object.keys(found).length > 0, 'no Prometheus selects it'),
});

const kind = <V extends string, K extends string, S extends z.ZodType, M extends z.ZodType = typeof metadata>(
  apiVersion: V,
  name: K,
  spec: S,
  meta?: M,
) =>
  z.strictObject({
    apiVersion: z.literal(apiVersion),
    kind: z.literal(name),
    metadata: meta ?? metadata,
    spec,
  });

const certificate = kind(
  'cert-manager.io/v1',
  'Certificate',
  z.strictObject({
    secretName: z.string(),
    isCA: z.boolean().optional(),
    commonName: z.string().optional(),
    dnsNames: z.array(z.string()).optional(),
    usages: z.array(z.enum(['server auth', 'client auth', 'digital signature'])).optional(),
    duration,
    renewBefore: duration.optional(),
    privateKey: z.strictObject({ algorithm: z.enum(['ECDSA', 'RSA', 'Ed25519']), size: z.number() }),
    issuerRef: z.strictObject({ name: z.string(), kind: z.enum(['Issuer', 'ClusterIssuer']) }),
  }),
);

const issuer = kind(
  'cert-manager.io/v1',
  'Issuer',
  z.union([
    z.strictObject({ selfSigned: z.strictObject({}) }),
    z.strictObject({ ca: z.strictObject({ secretName: z.string() }) }),
  ]),
);

const serviceMonitor = kind(
  'monitoring.coreos.com/v1',
  'ServiceMonitor',
  z.strictObject({
    selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
    endpoints: z.array(
      z.strictObject({
        port: z.string(),
        path: z.string(),
        interval: z.string().regex(/^\d+s$/),
        // The operator gives targets a label `service`, too: without this, that of the metrics becomes `exported_service`.
        honorLabels: z.literal(true),
      }),
    ),
  }),
  selected,
);

const prometheusRule = kind(
  'monitoring.coreos.com/v1',
  'PrometheusRule',
  z.strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string(),
        rules: z.array(
          z.union([
            z.strictObject({ record: z.string(), expr: z.string() }),
            z.strictObject({
              alert: z.string(),
              expr: z.string(),
              for: z
                .string()
                .regex(/^\d+[smhd]$/)
                .optional(),
              labels,
              annotations: labels,
            }),
          ]),
        ),
      }),
    ),
  }),
  selected,
);

const customKinds = {
  Certificate: certificate,
  Issuer: issuer,
  ServiceMonitor: serviceMonitor,
  PrometheusRule: prometheusRule,
};

export type Certificate = z.output<typeof certificate>;
export type Issuer = z.output<typeof issuer>;
export type ServiceMonitor = z.output<typeof serviceMonitor>;

/** Errors of an object of these kinds; undefined for other kinds. */
export function customKindErrors(object: Manifest): string[] | undefined {
  const schema = Object.entries(customKinds).find(([name]) => name === object.kind)?.[1];
  if (schema === undefined) return undefined;
  const { error } = schema.safeParse(object);
  return (error?.issues ?? []).map(({ path, message }) => `${nameOf(object)}.${path.join('.')}: ${message}`);
}
