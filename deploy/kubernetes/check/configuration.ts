import { readFileSync } from 'node:fs';
import { type ConfigError, readConfig } from '@platform/service-kit/config/config.ts';
import type { Environment } from '@platform/service-kit/config/config-files.ts';
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { CronJob } from 'kubernetes-types/batch/v1.d.ts';
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts';
import { parseConfig as parseBusiness } from '../../../business-service/src/config.ts';
import { parseConfig as parseCanary } from '../../../canary/src/config.ts';
import { gatewayConfig } from '../../../gateway/src/config.ts';
import { configSchema } from '../../../identity-service/src/config.ts';
import { parseConfig as parseWebhook } from '../../../webhook-service/src/config.ts';
import { generateSecrets } from '../../local/secrets.ts';
import { type Objects, titleOf } from './objects.ts';
import { keysOf } from './references.ts';

/** How each service reads its environment. An overlay must contain all of them. */
const readers: Readonly<Record<string, (environment: Environment) => unknown>> = {
  gateway: (environment) => readConfig(gatewayConfig, environment),
  'identity-service': (environment) => readConfig(configSchema, environment),
  'business-service': parseBusiness,
  'webhook-service': parseWebhook,
};

/** The same for services that an overlay may omit. */
const optionalReaders: typeof readers = { canary: parseCanary };

const allReaders = { ...readers, ...optionalReaders };

/** Files with the schemas, whose fields are the known variables. */
const sources = (service: string) => [
  `${service}/src/config.ts`,
  'service-kit/src/config/config.ts',
  'service-kit/src/grpc/tls.ts',
  'service-kit/src/telemetry/tracer.ts',
];

/** Variables of Node, and of npm run admin in the container of identity-service. */
const others = ['NODE_OPTIONS', 'IDENTITY_GRPC_TARGET'];

const root = new URL('../../../', import.meta.url);

function knownVariables(service: string): string[] {
  const texts = sources(service).map((path) => readFileSync(new URL(path, root), 'utf8'));
  return texts.flatMap((text) => [...text.matchAll(/^ +([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name));
}

/** Values that stand for those in Secrets. */
function exampleSecrets(service: string): Environment {
  const secrets = generateSecrets();
  return {
    DATABASE_URL: 'postgresql://user@postgres:5432/database',
    REDIS_URL: 'redis://redis:6379',
    REQUEST_LOG_URL: 'clickhouse://user@clickhouse:8123/requests',
    SMTP_URL: 'smtps://mail.example.com',
    OTLP_HEADERS: 'api-key=key',
    CANARY_PASSWORD: 'password',
    CANARY_CLIENT_SECRET: 'secret',
    CANARY_WEBHOOK_SECRET: `whsec_${secrets.encryptionKey}`,
    KEY_PEPPERS: secrets.keyPepper,
    CREDENTIAL_TAG_KEYS: secrets.credentialTagKey,
    PASSPORT_PRIVATE_KEY: secrets.passportPrivateKey,
    PASSPORT_PUBLIC_KEYS: secrets.passportPublicKey,
    GATEWAY_SECRET: secrets.gatewaySecret,
    SESSION_SECRETS: secrets.sessionSecret,
    ENCRYPTION_KEYS: service === 'webhook-service' ? secrets.webhookEncryptionKey : secrets.encryptionKey,
  };
}

/** Errors of the environments of the services: unknown, missing and invalid variables, and files that no Secret has. */
export function configurationErrors(objects: Objects): string[] {
  const services = objects
    .ofKind('Deployment')
    .filter(({ metadata }) => (metadata?.name ?? '') in allReaders);
  const absent = Object.keys(readers).filter(
    (name) => !services.some(({ metadata }) => metadata?.name === name),
  );
  return [
    ...absent.map((name) => `no Deployment ${name}`),
    ...[...services.map(serviceOf), ...objects.ofKind('CronJob').flatMap(jobOf)].flatMap((owner) => {
      const { title, name, pod, own } = owner;
      const container = pod?.containers.find((each) => each.name === own);
      if (pod === undefined || container === undefined) return [`${title} has no container ${own}`];
      const environment = environmentOf(objects, container);
      const errors = [
        ...fileErrors(objects, pod, container, environment),
        ...variableErrors(name, environment),
        ...portErrors(container, environment),
        ...graceErrors(pod, environment),
        ...targetErrors(objects, environment),
      ];
      return errors.map((message) => `${title}: ${message}`);
    }),
  ];
}

const serviceOf = (deployment: Deployment) => ({
  title: titleOf(deployment),
  name: deployment.metadata?.name ?? '',
  pod: deployment.spec?.template.spec,
  own: 'service',
});

/** A CronJob, which reads the environment of the service whose ServiceAccount it uses. */
function jobOf(job: CronJob): ReturnType<typeof serviceOf>[] {
  const pod = job.spec?.jobTemplate.spec?.template.spec;
  const name = pod?.serviceAccountName ?? '';
  return name in allReaders ? [{ title: titleOf(job), name, pod, own: 'restore' }] : [];
}

function environmentOf(objects: Objects, { env = [], envFrom = [] }: Container): Record<string, string> {
  const maps = envFrom.map(({ configMapRef }) =>
    objects.ofKind('ConfigMap').find(({ metadata }) => metadata?.name === configMapRef?.name),
  );
  const own = env.map(({ name, value = '' }) => [name, value] as const);
  return { ...Object.assign({}, ...maps.map((map) => map?.data)), ...Object.fromEntries(own) };
}

/** Every path in a variable must be a key of a Secret that is mounted there, or the ConfigMap of the operator's documents. */
function fileErrors(
  objects: Objects,
  pod: PodSpec,
  container: Container,
  environment: Environment,
): string[] {
  const paths = Object.entries(environment).flatMap(([name, value = '']) =>
    value.startsWith('/run/') || name.endsWith('_FILE') ? [[name, value] as const] : [],
  );
  const { API_DIR: api } = environment;
  const isMounted = container.volumeMounts?.some(({ mountPath }) => mountPath === api) === true;
  const lost = api === undefined || isMounted ? [] : [`API_DIR is ${api}, and nothing is mounted there`];
  const missing = paths.flatMap(([name, path]) => {
    const mount = (container.volumeMounts ?? []).find(({ mountPath }) => path.startsWith(`${mountPath}/`));
    const volume = pod.volumes?.find((each) => each.name === mount?.name);
    const keys = keysOf(objects, 'Secret', volume?.secret?.secretName) ?? [];
    const key = path.slice((mount?.mountPath.length ?? 0) + 1);
    return keys.includes(key) ? [] : [`${name} is ${path}, and no mounted Secret has it`];
  });
  return [...lost, ...missing];
}

/** Errors that the service itself finds in its environment, with values in place of the files. */
function variableErrors(service: string, environment: Environment): string[] {
  const known = knownVariables(service);
  const examples = exampleSecrets(service);
  const filled: Record<string, string | undefined> = {};
  const errors: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    const variable = name.replace(/_FILE$/, '');
    if (!known.includes(variable) && !others.includes(name))
      errors.push(`${name} is no variable of ${service}`);
    // Its documents are the operator's.
    if (name === 'API_DIR') continue;
    if (variable === name) filled[name] = value;
    else if (examples[variable] === undefined) errors.push(`${name} has no example in this check`);
    else filled[variable] = examples[variable];
  }
  try {
    allReaders[service]?.(filled);
  } catch (error) {
    if (!isConfigError(error)) throw error;
    errors.push(...[...error.message.matchAll(/^ {2}(\w+.*)/gm)].map(([, line = '']) => line));
  }
  return errors.filter((line) => !inImages.test(line));
}

/** Folders that exist in the images, but not in a checkout before `npm run build`. */
const inImages = /^(DOCS_DIR|DASHBOARD_DIR): holds no built/;

/** Compares the name instead of using instanceof, because tests load separate copies of modules. */
const isConfigError = (error: unknown): error is ConfigError =>
  error instanceof Error && error.name === 'ConfigError';

/** The ports of the container are those on which the service listens. */
function portErrors({ ports = [] }: Container, environment: Environment): string[] {
  const listens = {
    ops: environment.OPS_PORT,
    grpc: environment.GRPC_PORT,
    http: environment.HTTP_PORT ?? environment.PORT,
  };
  return ports.flatMap(({ name = '', containerPort }) =>
    Object.entries(listens).some(([own, port]) => own === name && port === String(containerPort))
      ? []
      : [`port ${name} ${containerPort} is not one on which the service listens`],
  );
}

/** Milliseconds within which a service exits by itself, from service-kit/src/process/run-service.ts. */
function stopLimitMs(): number {
  const source = readFileSync(new URL('service-kit/src/process/run-service.ts', root), 'utf8');
  return Number(/const stopLimitMs = ([\d_]+);/.exec(source)?.[1]?.replaceAll('_', ''));
}

/** Checks that SIGKILL comes after the service has ended by itself, and that balancers have time to notice the end. */
function graceErrors(
  { terminationGracePeriodSeconds = 30 }: PodSpec,
  { DRAIN_DELAY_MS = '5000' }: Environment,
): string[] {
  return [
    ...(terminationGracePeriodSeconds * 1_000 > stopLimitMs()
      ? []
      : ['is killed before it has ended by itself']),
    ...(Number(DRAIN_DELAY_MS) >= 5_000 ? [] : ['drains before the endpoints of its Service have changed']),
  ];
}

/** Checks that services named in variables exist as a Service with that port and, with cert-manager, that certificate name. */
function targetErrors(objects: Objects, environment: Environment): string[] {
  const certificates = objects.ofKind('Certificate').filter(({ spec }) => spec.dnsNames !== undefined);
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (!/_(GRPC_TARGET|ORIGINS)$/.test(name)) return [];
    return [...value.matchAll(/\/\/+([^:/]+):(\d+)/g)].flatMap(([, host = '', port]) => {
      const service = objects.ofKind('Service').find(({ metadata }) => metadata?.name === host);
      const hasPort = service?.spec?.ports?.some((each) => each.port === Number(port));
      if (host !== 'localhost' && hasPort !== true) return [`${name}: no Service ${host} with port ${port}`];
      const isNamed = certificates.some(({ spec }) => spec.dnsNames?.includes(host));
      return isNamed || certificates.length === 0 ? [] : [`${name}: no Certificate names ${host}`];
    });
  });
}
