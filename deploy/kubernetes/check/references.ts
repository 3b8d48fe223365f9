import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts';
import type { NetworkPolicyPeer, NetworkPolicyPort } from 'kubernetes-types/networking/v1.d.ts';
import { controllerErrors, selectsSolver, solverErrors } from './ingress.ts';
import { type Objects, podsOf, titleOf, workloads } from './objects.ts';

/** Errors of names that lead nowhere: selectors, ports, accounts, ConfigMaps, Secrets, volumes, scale targets. */
export function referenceErrors(objects: Objects): string[] {
  return [
    ...workloads(objects).flatMap((workload) => workloadErrors(objects, workload)),
    ...serviceErrors(objects),
    ...policyErrors(objects),
    ...ingressErrors(objects),
    ...solverErrors(objects),
    ...controllerErrors(objects),
    ...otherSelectorErrors(objects),
  ];
}

const containersOf = (pod: PodSpec): readonly Container[] => [
  ...(pod.initContainers ?? []),
  ...pod.containers,
];

/** Whether the pods have a container port of this name or number. */
function hasPort(pods: readonly { spec?: PodSpec }[], port: number | string): boolean {
  return pods.every(({ spec }) =>
    spec?.containers.some(({ ports = [] }) =>
      ports.some(({ name, containerPort }) => port === name || port === containerPort),
    ),
  );
}

type Workload = ReturnType<typeof workloads>[number];

function workloadErrors(objects: Objects, workload: Workload): string[] {
  const { spec } = workload;
  const pod = spec?.template.spec;
  if (spec === undefined || pod === undefined) return [`${titleOf(workload)} has no pod`];
  const fail = (message: string) => `${titleOf(workload)}: ${message}`;
  const errors: string[] = [];
  if (!podsOf(objects, spec.selector).includes(spec.template))
    errors.push(fail('its selector does not match its pods'));
  if (podsOf(objects, spec.selector).length > 1) errors.push(fail('its selector matches pods of others'));
  for (const { labelSelector } of pod.topologySpreadConstraints ?? []) {
    if (!podsOf(objects, labelSelector).includes(spec.template))
      errors.push(fail('spreads over pods of others'));
  }
  const claims = workload.kind === 'StatefulSet' ? (workload.spec?.volumeClaimTemplates ?? []) : [];
  const ofClaims = claims.map(({ metadata }) => metadata?.name);
  return [...errors, ...podReferenceErrors(objects, pod, ofClaims).map(fail), ...probeErrors(pod).map(fail)];
}

/** Errors of the names in a pod: its account, ConfigMaps, Secrets and volumes. @param claims volumes of the workload */
export function podReferenceErrors(
  objects: Objects,
  pod: PodSpec,
  claims: readonly (string | undefined)[] = [],
): string[] {
  const { serviceAccountName: account } = pod;
  const accounts = objects.ofKind('ServiceAccount').map(({ metadata }) => metadata?.name);
  return [
    ...(account === undefined || accounts.includes(account) ? [] : [`no ServiceAccount ${account}`]),
    ...configErrors(objects, pod),
    ...volumeErrors(objects, pod, claims),
  ];
}

/** Keys of a ConfigMap or Secret; undefined when there is none. The Secret of a Certificate has the keys of cert-manager. */
export function keysOf(objects: Objects, kind: 'ConfigMap' | 'Secret', name: string | undefined) {
  if (kind === 'Secret' && objects.ofKind('Certificate').some(({ spec }) => spec.secretName === name)) {
    return ['ca.crt', 'tls.crt', 'tls.key'];
  }
  const found = objects.ofKind(kind).find(({ metadata }) => metadata?.name === name);
  return found && Object.keys({ ...found.data, ...('stringData' in found ? found.stringData : {}) });
}

function configErrors(objects: Objects, pod: PodSpec): string[] {
  const missing = (kind: 'ConfigMap' | 'Secret', name: string | undefined, key?: string) => {
    const keys = keysOf(objects, kind, name);
    if (keys === undefined) return [`no ${kind} ${name}`];
    return key === undefined || keys.includes(key) ? [] : [`${kind} ${name} has no key ${key}`];
  };
  return containersOf(pod).flatMap(({ env = [], envFrom = [] }) => [
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...(configMapRef ? missing('ConfigMap', configMapRef.name) : []),
      ...(secretRef ? missing('Secret', secretRef.name) : []),
    ]),
    ...env.flatMap(({ valueFrom: { configMapKeyRef, secretKeyRef } = {} }) => [
      ...(configMapKeyRef ? missing('ConfigMap', configMapKeyRef.name, configMapKeyRef.key) : []),
      ...(secretKeyRef ? missing('Secret', secretKeyRef.name, secretKeyRef.key) : []),
    ]),
  ]);
}

function volumeErrors(objects: Objects, pod: PodSpec, claims: readonly (string | undefined)[]): string[] {
  const volumes = [...(pod.volumes ?? []).map(({ name }) => name), ...claims];
  const mounted = containersOf(pod).flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
  return [
    ...mounted.filter((name) => !volumes.includes(name)).map((name) => `no volume ${name}`),
    ...volumes
      .filter((name) => name === undefined || !mounted.includes(name))
      .map((name) => `volume ${name} is not mounted`),
    ...(pod.volumes ?? []).flatMap(({ secret, configMap }) => [
      ...(secret && !secret.optional && keysOf(objects, 'Secret', secret.secretName) === undefined
        ? [`no Secret ${secret.secretName}`]
        : []),
      ...(configMap && keysOf(objects, 'ConfigMap', configMap.name) === undefined
        ? [`no ConfigMap ${configMap.name}`]
        : []),
    ]),
  ];
}

function probeErrors(pod: PodSpec): string[] {
  return pod.containers.flatMap(({ name, ports = [], startupProbe, readinessProbe, livenessProbe }) =>
    [startupProbe, readinessProbe, livenessProbe].flatMap((probe) => {
      const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port;
      if (port === undefined || ports.some((own) => own.name === port || own.containerPort === port))
        return [];
      return [`a probe of ${name} asks port ${port}, which it does not have`];
    }),
  );
}

function serviceErrors(objects: Objects): string[] {
  return objects.ofKind('Service').flatMap((service) => {
    const pods = podsOf(objects, { matchLabels: service.spec?.selector ?? {} });
    if (pods.length !== 1)
      return [`${titleOf(service)}: its selector matches the pods of ${pods.length} workloads`];
    const lost = (service.spec?.ports ?? []).filter(
      ({ port, targetPort }) => !hasPort(pods, targetPort ?? port),
    );
    return lost.map(({ port, targetPort }) => `${titleOf(service)}: no pod has port ${targetPort ?? port}`);
  });
}

function policyErrors(objects: Objects): string[] {
  return objects.ofKind('NetworkPolicy').flatMap((policy) => {
    const { podSelector, ingress = [], egress = [] } = policy.spec ?? { podSelector: {} };
    const own = podsOf(objects, podSelector);
    const errors = own.length === 0 && !selectsSolver(podSelector) ? ['its selector matches no pod'] : [];
    for (const { from = [], ports = [] } of ingress)
      errors.push(...peerErrors(objects, from), ...portErrors(own, ports));
    for (const { to = [], ports = [] } of egress) {
      const pods = to.filter((peer) => peer.namespaceSelector === undefined && peer.ipBlock === undefined);
      errors.push(...peerErrors(objects, to), ...(ports.length === 0 ? ['an egress without ports'] : []));
      for (const peer of pods) errors.push(...portErrors(podsOf(objects, peer.podSelector), ports));
    }
    return errors.map((message) => `${titleOf(policy)}: ${message}`);
  });
}

function peerErrors(objects: Objects, peers: readonly NetworkPolicyPeer[]): string[] {
  if (peers.length === 0) return ['a rule without peers is open to all'];
  return peers.flatMap(({ podSelector, namespaceSelector, ipBlock }) =>
    namespaceSelector === undefined && ipBlock === undefined && podsOf(objects, podSelector).length === 0
      ? ['a peer matches no pod']
      : [],
  );
}

function portErrors(pods: Parameters<typeof hasPort>[0], ports: readonly NetworkPolicyPort[]): string[] {
  return ports.flatMap(({ port }) =>
    port !== undefined && !hasPort(pods, port) ? [`port ${port} is not one of all its pods`] : [],
  );
}

function ingressErrors(objects: Objects): string[] {
  const backends = objects
    .ofKind('Ingress')
    .flatMap(({ spec }) =>
      (spec?.rules ?? []).flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend.service)),
    );
  return backends.flatMap((backend) => {
    const service = objects.ofKind('Service').find(({ metadata }) => metadata?.name === backend?.name);
    const { name, number } = backend?.port ?? {};
    const ports = service?.spec?.ports ?? [];
    return ports.some((port) => port.name === name || port.port === number)
      ? []
      : [`Ingress: no port of Service ${backend?.name}`];
  });
}

function otherSelectorErrors(objects: Objects): string[] {
  const budgets = objects
    .ofKind('PodDisruptionBudget')
    .filter(({ spec }) => podsOf(objects, spec?.selector).length !== 1);
  const scalers = objects.ofKind('HorizontalPodAutoscaler').flatMap((scaler) => {
    const { kind, name } = scaler.spec?.scaleTargetRef ?? {};
    const target = workloads(objects).find(
      (workload) => workload.kind === kind && workload.metadata?.name === name,
    );
    if (target === undefined) return [`${titleOf(scaler)}: no ${kind} ${name}`];
    const requests = target.spec?.template.spec?.containers.every(
      ({ resources }) => resources?.requests?.cpu !== undefined,
    );
    return [
      ...(requests ? [] : [`${titleOf(scaler)}: ${name} requests no cpu`]),
      ...(target.spec?.replicas === undefined
        ? []
        : [`${titleOf(target)}: replicas would undo what its autoscaler did`]),
    ];
  });
  const monitors = objects.ofKind('ServiceMonitor').filter(({ spec }) => {
    const found = objects
      .ofKind('Service')
      .filter(({ metadata }) =>
        Object.entries(spec.selector.matchLabels).every(
          ([name, value]) => metadata?.labels?.[name] === value,
        ),
      );
    return (
      found.length === 0 ||
      !found.every((service) =>
        spec.endpoints.every(({ port }) => service.spec?.ports?.some(({ name }) => name === port)),
      )
    );
  });
  return [
    ...[...budgets, ...monitors].map((object) => `${titleOf(object)}: its selector or port matches nothing`),
    ...scalers,
  ];
}
