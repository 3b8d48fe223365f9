import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts';
import { type Objects, titleOf, workloads } from './objects.ts';

/*
 * The level "restricted" of the Pod Security Standards, and what this project asks for beyond it: a read-only root, no token,
 * requests and limits, probes, an image of a fixed version.
 */

const allowedVolumes = [
  'configMap',
  'downwardAPI',
  'emptyDir',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** Errors of pods below that level. */
export function podSecurityErrors(objects: Objects): string[] {
  return workloads(objects).flatMap((workload) => {
    const pod = workload.spec?.template.spec;
    if (pod === undefined) return [];
    const containers = [...(pod.initContainers ?? []), ...pod.containers];
    const errors = [
      ...podErrors(pod),
      ...containers.flatMap((container) => containerErrors(pod, container)),
      ...pod.containers.flatMap(probeErrors),
    ];
    return errors.map((message) => `${titleOf(workload)}: ${message}`);
  });
}

/** The messages whose condition holds. */
const failing = (checks: Readonly<Record<string, boolean>>) =>
  Object.entries(checks).flatMap(([message, fails]) => (fails ? [message] : []));

/** Errors of a pod, without those of its containers. */
export function podErrors(pod: PodSpec): string[] {
  const kinds = (pod.volumes ?? []).flatMap(({ name, ...source }) => Object.keys(source));
  return failing({
    'uses the host': Boolean(pod.hostNetwork || pod.hostPID || pod.hostIPC),
    'mounts a token of its account': pod.automountServiceAccountToken !== false,
    'has a volume of a forbidden kind': kinds.some((kind) => !allowedVolumes.includes(kind)),
    'may run as root': pod.securityContext?.runAsNonRoot !== true || pod.securityContext.runAsUser === 0,
    'sets sysctls': (pod.securityContext?.sysctls ?? []).length > 0,
  });
}

/** Errors of a container, without those of its probes. */
export function containerErrors(pod: PodSpec, container: Container): string[] {
  const { name, image = '', securityContext: own = {}, resources = {}, ports = [] } = container;
  const seccomp = (own.seccompProfile ?? pod.securityContext?.seccompProfile)?.type;
  return failing({
    'is privileged': own.privileged === true || own.procMount !== undefined,
    'may escalate its privileges': own.allowPrivilegeEscalation !== false,
    'keeps capabilities': own.capabilities?.drop?.includes('ALL') !== true,
    'adds capabilities': (own.capabilities?.add ?? []).some((added) => added !== 'NET_BIND_SERVICE'),
    'may run as root': own.runAsNonRoot === false || own.runAsUser === 0,
    'has no seccomp profile': seccomp !== 'RuntimeDefault' && seccomp !== 'Localhost',
    'writes its root': own.readOnlyRootFilesystem !== true,
    'has a port on the host': ports.some(({ hostPort }) => hostPort !== undefined),
    'has an image without a version': !/@sha256:|:[^/]+$/.test(image) || image.endsWith(':latest'),
    'requests no cpu or memory': !['cpu', 'memory'].every((kind) => kind in (resources.requests ?? {})),
    'has no limit of memory': resources.limits?.memory === undefined,
  }).map((message) => `container ${name} ${message}`);
}

function probeErrors({ name, readinessProbe, livenessProbe, startupProbe }: Container): string[] {
  const probes = [readinessProbe, livenessProbe, startupProbe];
  return failing({
    'has no readiness or liveness probe': readinessProbe === undefined || livenessProbe === undefined,
    'is probed by a process': probes.some((probe) => probe?.exec !== undefined),
  }).map((message) => `container ${name} ${message}`);
}
