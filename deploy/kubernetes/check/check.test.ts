import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { errorsOf } from './check.ts';
import { render } from './kustomize.ts';
import { isMap, type Manifest, type Value } from './values.ts';

const overlay = (name: string) => new URL(`../overlays/${name}`, import.meta.url).pathname;
const local = render(overlay('local'));
const production = render(overlay('production'));

test.each([
  ['local', local],
  ['production', production],
])('the overlay %s has no errors', (_, manifests) => {
  expect(manifests.length).toBeGreaterThan(40);
  expect(errorsOf(manifests)).toEqual([]);
});

test.each(['local', 'production'])('the overlay %s with the canary has no errors', (name) => {
  const directory = mkdtempSync(join(tmpdir(), 'canary-'));
  const from = (path: string) => relative(directory, overlay(path));
  const values = {
    resources: [from(name)],
    components: [from('../components/canary')],
    images: [{ name: 'platform/canary', newTag: 'local' }],
    configMapGenerator: [{ name: 'canary-business', literals: ['CANARY_BUSINESS_ID=1'] }],
  };
  const head = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };
  // JSON is YAML.
  const write = (content: object) =>
    writeFileSync(join(directory, 'kustomization.yaml'), JSON.stringify({ ...head, ...content }));
  write(values);
  expect(errorsOf(render(directory))).toEqual([]);
  write({ ...values, configMapGenerator: [] });
  expect(errorsOf(render(directory))).toEqual([
    'Deployment canary: no ConfigMap canary-business',
    'Deployment canary: CANARY_BUSINESS_ID: is not set',
  ]);
  const secrets = ['CANARY_PASSWORD', 'CANARY_CLIENT_SECRET', 'CANARY_WEBHOOK_SECRET'];
  const files = secrets.map((secret) => `${secret}_FILE=/run/secrets/canary/${secret}`);
  const literals = ['CANARY_BUSINESS_ID=1', 'CANARY_EMAIL=a@example.com', 'CANARY_CLIENT_ID=1', ...files];
  const flows = { ...values, configMapGenerator: [{ name: 'canary-business', literals }] };
  const secret = { name: 'canary', literals: secrets.map((name) => `${name}=x`) };
  write({ ...flows, secretGenerator: [secret] });
  expect(errorsOf(render(directory))).toEqual([]);
  write(flows);
  expect(errorsOf(render(directory))).toEqual(
    files.map((file) => `Deployment canary: ${file.replace('=', ' is ')}, and no mounted Secret has it`),
  );
  rmSync(directory, { recursive: true });
});

test('production runs images by digest', () => {
  const images = JSON.stringify(production).match(/"image":"[^"]*"/g) ?? [];
  expect(images.length).toBeGreaterThan(4);
  expect(images.filter((image) => !/@sha256:[0-9a-f]{64}"$/.test(image))).toEqual([]);
});

/** Sets the value at a path of one object; undefined removes it. */
function change(title: string, path: string, value: Value | undefined, from = local): string {
  const manifests: Manifest[] = structuredClone(from);
  const object = manifests.find(({ kind, metadata }) => `${kind} ${metadata.name}` === title);
  const steps = path.split('/').map((step) => step.replace('~1', '/'));
  const last = steps.pop() ?? '';
  let target: Value | undefined = object;
  for (const step of steps) target = childOf(target, step);
  if (Array.isArray(target)) target.splice(Number(last), 1, ...(value === undefined ? [] : [value]));
  else if (!isMap(target)) throw new Error(`${title} has no ${path}`);
  else if (value === undefined) delete target[last];
  else target[last] = value;
  return errorsOf(manifests).join('\n');
}

function childOf(value: Value | undefined, step: string): Value | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isMap(value) ? value[step] : undefined;
}

const pod = 'spec/template/spec';
const container = `${pod}/containers/0`;
const gateway = 'Deployment gateway';

test.each<[string, string, Value | undefined, string]>([
  [
    gateway,
    `${container}/readynessProbe`,
    {},
    'Deployment gateway.spec.template.spec.containers[0].readynessProbe is unknown',
  ],
  [gateway, 'apiVersion', 'apps/v1beta1', 'no kind of apps/v1beta1'],
  [gateway, `${pod}/terminationGracePeriodSeconds`, '35', 'terminationGracePeriodSeconds is no number'],
  [gateway, `${pod}/containers`, undefined, 'containers is missing'],
  ['ConfigMap gateway', 'data/MODE', false, 'data.MODE is no string'],
  [gateway, 'spec/selector/matchLabels', { app: 'gateway' }, 'its selector does not match its pods'],
  [gateway, 'spec/replicas', 3, 'replicas would undo what its autoscaler did'],
  [gateway, `${pod}/serviceAccountName`, 'default', 'no ServiceAccount default'],
  [gateway, `${pod}/terminationGracePeriodSeconds`, 30, 'is killed before it has ended by itself'],
  [gateway, `${pod}/volumes/0/secret/secretName`, 'gateway', 'no Secret gateway'],
  [gateway, `${pod}/volumes/1/name`, 'certificates', 'no volume tls'],
  [gateway, `${container}/envFrom/0/configMapRef/name`, 'gate', 'no ConfigMap gate'],
  [gateway, `${container}/livenessProbe/httpGet/port`, 8443, 'asks port 8443'],
  [gateway, `${container}/ports/0/containerPort`, 8081, 'is not one on which the service listens'],
  ['Service gateway', 'spec/selector', { app: 'gateway' }, 'matches the pods of 0 workloads'],
  ['Service gateway', 'spec/ports/0/targetPort', 'https', 'no pod has port https'],
  ['Service identity-service-replicas', 'spec/ports/0/targetPort', 5001, 'no pod has port 5001'],
  ['PodDisruptionBudget gateway', 'spec/selector', { matchLabels: {} }, 'selector or port matches nothing'],
  ['HorizontalPodAutoscaler gateway', 'spec/scaleTargetRef/name', 'edge', 'no Deployment edge'],
  ['NetworkPolicy redis', 'spec/ingress/0/ports/0/port', 'http', 'port http is not one of all its pods'],
  [
    'NetworkPolicy redis',
    'spec/ingress/0/from/0/podSelector',
    { matchLabels: { app: 'x' } },
    'a peer matches no pod',
  ],
  ['NetworkPolicy redis', 'spec/ingress/0/from', [], 'open to all'],
  ['NetworkPolicy gateway', 'spec/podSelector', { matchLabels: { app: 'x' } }, 'its selector matches no pod'],
  [
    'StatefulSet postgres',
    `${container}/env/2/valueFrom/secretKeyRef/key`,
    'PASSWORD',
    'has no key PASSWORD',
  ],
  ['StatefulSet postgres', 'spec/volumeClaimTemplates', undefined, 'no volume data'],
  ['Secret gateway-secrets', 'data/GATEWAY_SECRET', undefined, 'no mounted Secret has it'],
  ['ConfigMap gateway', 'data/BUSINESS_HTTP_ORIGINS', undefined, 'BUSINESS_HTTP_ORIGINS: is not set'],
  [
    'ConfigMap gateway',
    'data/IDENTITY_HTTP_ORIGINS',
    'http://identity-service:3000',
    'must be https:// origins',
  ],
  ['ConfigMap gateway', 'data/API_DIR', '/api', 'API_DIR is /api, and nothing is mounted there'],
  ['ConfigMap gateway', 'data/TRUSTED_PROXYS', '10.0.0.0/8', 'TRUSTED_PROXYS is no variable of gateway'],
  ['ConfigMap gateway', 'data/DRAIN_DELAY_MS', '1000', 'drains before the endpoints'],
  ['ConfigMap gateway', 'data/DRAIN_DELAY_MS', '10001', 'DRAIN_DELAY_MS: must be 10000 at most'],
  [
    'ConfigMap gateway',
    'data/IDENTITY_GRPC_TARGET',
    'dns:///identity:5000',
    'no Service identity with port 5000',
  ],
  ['Service business-service', 'spec/ports/0/port', 3001, 'no Service business-service with port 3000'],
  ['ConfigMap identity-service', 'data/KEY_PEPPERS_FILE', undefined, 'KEY_PEPPERS: is not set'],
  ['ConfigMap identity-service', 'data/MODE', 'staging', 'MODE: must be local or production'],
])('%s with %s = %j is refused', (title, path, value, message) => {
  expect(change(title, path, value)).toContain(message);
});

test.each<[string, Value | undefined, string]>([
  [`${pod}/hostNetwork`, true, 'uses the host'],
  [`${pod}/automountServiceAccountToken`, undefined, 'mounts a token'],
  [`${pod}/securityContext/runAsNonRoot`, undefined, 'may run as root'],
  [`${pod}/securityContext/seccompProfile`, undefined, 'has no seccomp profile'],
  [`${pod}/volumes/2`, { name: 'logs', hostPath: { path: '/var/log' } }, 'volume of a forbidden kind'],
  [`${container}/securityContext/runAsUser`, 0, 'may run as root'],
  [`${container}/securityContext/privileged`, true, 'is privileged'],
  [`${container}/securityContext/allowPrivilegeEscalation`, undefined, 'may escalate its privileges'],
  [`${container}/securityContext/capabilities`, undefined, 'keeps capabilities'],
  [`${container}/securityContext/capabilities/add`, ['NET_ADMIN'], 'adds capabilities'],
  [`${container}/securityContext/readOnlyRootFilesystem`, false, 'writes its root'],
  [`${container}/ports/0/hostPort`, 80, 'has a port on the host'],
  [`${container}/image`, 'registry:5000/gateway', 'has an image without a version'],
  [`${container}/image`, 'platform/gateway:latest', 'has an image without a version'],
  [`${container}/resources/limits`, undefined, 'has no limit of memory'],
  [`${container}/resources/requests`, { memory: '64Mi' }, 'requests no cpu or memory'],
  [`${container}/readinessProbe`, undefined, 'has no readiness or liveness probe'],
  [`${container}/livenessProbe`, { exec: { command: ['node', 'probe.js'] } }, 'is probed by a process'],
  [`${pod}/initContainers/0/securityContext`, undefined, 'container migration keeps capabilities'],
])('a pod below the restricted level is refused: %s = %j', (path, value, message) => {
  expect(change('Deployment identity-service', path, value)).toContain(message);
});

const job = 'spec/jobTemplate/spec';
const restore = `${job}/template/spec/containers/0`;
const label = `${job}/template/metadata/labels/app.kubernetes.io~1name`;

test.each<[string, Value | undefined, string]>([
  ['spec/suspend', undefined, 'runs by itself'],
  [`${job}/backoffLimit`, 3, 'runs again after a failure'],
  [`${job}/template/spec/restartPolicy`, 'OnFailure', 'runs again after a failure'],
  [`${restore}/livenessProbe`, { tcpSocket: { port: 9090 } }, 'is probed, though it serves nothing'],
  [`${job}/template/metadata/labels/platform~1database`, undefined, 'keep it from StatefulSet postgres'],
  [label, 'restore', 'NetworkPolicies keep it from Deployment business-service'],
  [label, 'identity-service', 'Service identity-service: its selector matches the pods of 2 workloads'],
  [`${job}/template/spec/serviceAccountName`, 'restore', 'no ServiceAccount restore'],
  [`${job}/template/spec/volumes/0/secret/secretName`, 'restore', 'no Secret restore'],
  [`${job}/template/spec/securityContext/runAsNonRoot`, undefined, 'may run as root'],
  [`${restore}/securityContext`, undefined, 'container restore keeps capabilities'],
  [
    `${restore}/volumeMounts/0`,
    undefined,
    'REDIS_URL_FILE is /run/secrets/platform/REDIS_URL, and no mounted',
  ],
  [`${restore}/envFrom`, [], 'REDIS_URL: is not set'],
])('a restore Job that would not run exactly once is refused: %s = %j', (path, value, message) => {
  expect(change('CronJob identity-restore', path, value)).toContain(message);
});

const closedSolver = 'no NetworkPolicy opens the solver of its certificate';
const fromNamespace = 'spec/ingress/0/from/0/namespaceSelector/matchLabels/kubernetes.io~1metadata.name';
const twoControllers = 'Ingress gateway: what it leads to is open to different namespaces';

test.each<[string, string, Value | undefined, string]>([
  ['Certificate gateway', 'spec/dnsName', 'gateway', 'Unrecognized key: "dnsName"'],
  ['Certificate gateway', 'spec/secretName', 'gateway-certificate', 'no Secret gateway-tls'],
  [
    'Certificate identity-service',
    'spec/dnsNames',
    ['identity-service'],
    'no Certificate names identity-service-replicas',
  ],
  ['ServiceMonitor business-api', 'spec/endpoints/0/port', 'metrics', 'selector or port matches nothing'],
  ['ServiceMonitor business-api', 'spec/endpoints/0/honorLabels', undefined, 'expected true'],
  ['PrometheusRule business-api', 'spec/groups/0/rules/0/expr', undefined, 'Invalid input'],
  ['ServiceMonitor business-api', 'metadata/labels', undefined, 'metadata.labels: Invalid input'],
  ['PrometheusRule business-api', 'metadata/labels', {}, 'metadata.labels: no Prometheus selects it'],
  [
    'Ingress gateway',
    'spec/rules/0/http/paths/0/backend/service/port/name',
    'https',
    'no port of Service gateway',
  ],
  ['NetworkPolicy acme-solver', 'spec/ingress/0/ports/0/port', 80, closedSolver],
  ['NetworkPolicy acme-solver', 'spec/podSelector', {}, closedSolver],
  ['NetworkPolicy acme-solver', fromNamespace, 'traefik', twoControllers],
  ['NetworkPolicy from-ingress', fromNamespace, 'traefik', twoControllers],
])('production: %s with %s = %j is refused', (title, path, value, message) => {
  expect(change(title, path, value, production)).toContain(message);
});

const scaler = z.looseObject({
  kind: z.literal('HorizontalPodAutoscaler'),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    behavior: z.looseObject({
      scaleUp: z
        .object({ stabilizationWindowSeconds: z.number() })
        .default({ stabilizationWindowSeconds: 0 }),
    }),
  }),
});
const deployment = z.looseObject({
  kind: z.literal('Deployment'),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        containers: z.tuple([
          z.looseObject({ resources: z.looseObject({ requests: z.looseObject({ cpu: z.string() }) }) }),
        ]),
      }),
    }),
  }),
});

test.each([
  ['local', local],
  ['production', production],
])('in %s the CPU that a service uses while it starts adds no replica', (_, manifests) => {
  const scalers = manifests.flatMap((each) => scaler.safeParse(each).data ?? []);
  const deployments = manifests.flatMap((each) => deployment.safeParse(each).data ?? []);
  expect(scalers).toHaveLength(4);
  for (const { metadata, spec } of scalers) {
    const scaled = deployments.find((each) => each.metadata.name === metadata.name);
    const millicores = Number.parseInt(
      scaled?.spec.template.spec.containers[0].resources.requests.cpu ?? '0',
      10,
    );
    // Of the 15 seconds that it looks at, or after longer than a start takes.
    const isEnough = 0.7 * millicores > 2_000 / 15;
    expect(isEnough || spec.behavior.scaleUp.stabilizationWindowSeconds >= 120).toBe(true);
  }
});
