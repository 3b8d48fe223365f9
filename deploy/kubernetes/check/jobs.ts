import type { PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts';
import { type Objects, titleOf, workloads } from './objects.ts';
import { containerErrors, podErrors } from './pod-security.ts';
import { podReferenceErrors } from './references.ts';

const labelsOf = (template: PodTemplateSpec | undefined) =>
  JSON.stringify(Object.entries(template?.metadata?.labels ?? {}).sort());

/** Errors of a CronJob, from which an operator makes a Job by hand: it runs once, where its service may connect. */
export function jobErrors(objects: Objects): string[] {
  return objects.ofKind('CronJob').flatMap((job) => {
    const spec = job.spec?.jobTemplate.spec;
    const pod = spec?.template.spec;
    if (job.spec === undefined || spec === undefined || pod === undefined)
      return [`${titleOf(job)} has no pod`];
    const isOfService = workloads(objects).some(
      (workload) => labelsOf(workload.spec?.template) === labelsOf(spec.template),
    );
    const containers = [...(pod.initContainers ?? []), ...pod.containers];
    const isProbed = containers.some(
      ({ startupProbe, readinessProbe, livenessProbe }) => startupProbe ?? readinessProbe ?? livenessProbe,
    );
    const checks = {
      'runs by itself': job.spec.suspend !== true,
      'runs again after a failure': spec.backoffLimit !== 0 || pod.restartPolicy !== 'Never',
      'is probed, though it serves nothing': isProbed,
      'has not the labels of the pods of any service: NetworkPolicies keep it from what it needs':
        !isOfService,
    };
    const errors = [
      ...Object.entries(checks).flatMap(([message, fails]) => (fails ? [message] : [])),
      ...podReferenceErrors(objects, pod),
      ...podErrors(pod),
      ...containers.flatMap((container) => containerErrors(pod, container)),
    ];
    return errors.map((message) => `${titleOf(job)}: ${message}`);
  });
}
