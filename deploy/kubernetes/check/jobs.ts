import type { PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts';
import type { NetworkPolicyPeer } from 'kubernetes-types/networking/v1.d.ts';
import { matches, type Objects, titleOf, workloads } from './objects.ts';
import { containerErrors, podErrors } from './pod-security.ts';
import { podReferenceErrors } from './references.ts';

const selects = (peers: readonly NetworkPolicyPeer[] = [], { metadata }: PodTemplateSpec) =>
  peers.some(
    ({ podSelector, namespaceSelector }) =>
      podSelector !== undefined &&
      namespaceSelector === undefined &&
      matches(podSelector, metadata?.labels ?? {}),
  );

/** Whether NetworkPolicies allow connections between two groups of pods in the namespace. */
function reaches(objects: Objects, from: PodTemplateSpec, to: PodTemplateSpec): boolean {
  const policiesOf = ({ metadata }: PodTemplateSpec) =>
    objects
      .ofKind('NetworkPolicy')
      .flatMap(({ spec }) => (spec && matches(spec.podSelector, metadata?.labels ?? {}) ? [spec] : []));
  return (
    policiesOf(from).some(({ egress = [] }) => egress.some((rule) => selects(rule.to, to))) &&
    policiesOf(to).some(({ ingress = [] }) => ingress.some((rule) => selects(rule.from, from)))
  );
}

/** Errors of a Job that cannot connect to everything to which the service with its ServiceAccount connects. */
function reachErrors(objects: Objects, pod: PodTemplateSpec): string[] {
  const account = pod.spec?.serviceAccountName;
  const all = workloads(objects).flatMap(({ spec, ...rest }) =>
    spec ? [{ ...rest, pod: spec.template }] : [],
  );
  const services = all.filter((each) => each.pod.spec?.serviceAccountName === account);
  const lost = all.filter(
    (each) =>
      services.some((service) => reaches(objects, service.pod, each.pod)) && !reaches(objects, pod, each.pod),
  );
  return lost.map((each) => `NetworkPolicies keep it from ${titleOf(each)}`);
}

/** Errors of a CronJob from which an operator creates Jobs by hand. It must run once and connect like its service. */
export function jobErrors(objects: Objects): string[] {
  return objects.ofKind('CronJob').flatMap((job) => {
    const spec = job.spec?.jobTemplate.spec;
    const pod = spec?.template.spec;
    if (job.spec === undefined || spec === undefined || pod === undefined)
      return [`${titleOf(job)} has no pod`];
    const containers = [...(pod.initContainers ?? []), ...pod.containers];
    const isProbed = containers.some(
      ({ startupProbe, readinessProbe, livenessProbe }) => startupProbe ?? readinessProbe ?? livenessProbe,
    );
    const checks = {
      'runs by itself': job.spec.suspend !== true,
      'runs again after a failure': spec.backoffLimit !== 0 || pod.restartPolicy !== 'Never',
      'is probed, though it serves nothing': isProbed,
    };
    const errors = [
      ...Object.entries(checks).flatMap(([message, fails]) => (fails ? [message] : [])),
      ...reachErrors(objects, spec.template),
      ...podReferenceErrors(objects, pod),
      ...podErrors(pod),
      ...containers.flatMap((container) => containerErrors(pod, container)),
    ];
    return errors.map((message) => `${titleOf(job)}: ${message}`);
  });
}
