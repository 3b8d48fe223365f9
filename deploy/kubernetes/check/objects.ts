import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.d.ts';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.d.ts';
import type { CronJob } from 'kubernetes-types/batch/v1.d.ts';
import type {
  ConfigMap,
  PodTemplateSpec,
  Secret,
  Service,
  ServiceAccount,
} from 'kubernetes-types/core/v1.d.ts';
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts';
import { type Certificate, customKindErrors, type Issuer, type ServiceMonitor } from './custom-kinds.ts';
import { schemaErrors } from './schema.ts';
import type { Manifest } from './values.ts';

interface Kinds {
  Deployment: Deployment;
  StatefulSet: StatefulSet;
  CronJob: CronJob;
  HorizontalPodAutoscaler: HorizontalPodAutoscaler;
  ConfigMap: ConfigMap;
  Secret: Secret;
  Service: Service;
  ServiceAccount: ServiceAccount;
  Ingress: Ingress;
  NetworkPolicy: NetworkPolicy;
  PodDisruptionBudget: PodDisruptionBudget;
  Certificate: Certificate;
  Issuer: Issuer;
  ServiceMonitor: ServiceMonitor;
}

/** Objects whose fields are those of their kinds. */
export interface Objects {
  readonly all: readonly Manifest[];
  ofKind<K extends keyof Kinds>(kind: K): readonly Kinds[K][];
}

/** Deployments and StatefulSets. */
export type Workload = Deployment | StatefulSet;

/** Errors in the fields of objects, or the objects if there are none. */
export function readObjects(all: readonly Manifest[]): Objects | readonly string[] {
  const errors = all.flatMap((object) => customKindErrors(object) ?? schemaErrors(object));
  if (errors.length > 0) return errors;
  // schemaErrors has checked that each object has the declared type of its kind.
  const isOf = <K extends keyof Kinds>(kind: K, object: Manifest | Kinds[K]): object is Kinds[K] =>
    object.kind === kind;
  return {
    all,
    ofKind: <K extends keyof Kinds>(kind: K) => all.flatMap((object) => (isOf(kind, object) ? [object] : [])),
  };
}

export const workloads = (objects: Objects): readonly Workload[] => [
  ...objects.ofKind('Deployment'),
  ...objects.ofKind('StatefulSet'),
];

/** `Deployment gateway`, as errors name an object. */
export const titleOf = ({ kind, metadata }: { kind?: string; metadata?: { name?: string } }) =>
  `${kind} ${metadata?.name}`;

/** Pods of workloads and Jobs that a selector matches. */
export function podsOf(objects: Objects, selector: LabelSelector | undefined): readonly PodTemplateSpec[] {
  const templates = [
    ...workloads(objects).map(({ spec }) => spec?.template),
    ...objects.ofKind('CronJob').map(({ spec }) => spec?.jobTemplate.spec?.template),
  ];
  return templates.flatMap((template) =>
    template !== undefined && matches(selector, template.metadata?.labels ?? {}) ? [template] : [],
  );
}

/** Whether labels satisfy a selector. */
export function matches(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  const pairs = Object.entries(selector?.matchLabels ?? {});
  const expressions = selector?.matchExpressions ?? [];
  return (
    pairs.every(([name, value]) => labels[name] === value) &&
    expressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'In') return value !== undefined && values.includes(value);
      if (operator === 'NotIn') return value === undefined || !values.includes(value);
      return operator === 'Exists' ? value !== undefined : value === undefined;
    })
  );
}
