import type { LabelSelector, ObjectMeta } from 'kubernetes-types/meta/v1.d.ts';
import type { Ingress } from 'kubernetes-types/networking/v1.d.ts';
import { matches, type Objects, podsOf, titleOf } from './objects.ts';

/** Labels of the pods that cert-manager starts in the namespace of an Ingress for the HTTP-01 challenge of its certificate. */
const labels = { 'acme.cert-manager.io/http01-solver': 'true' };

const port = 8089;

/** Whether a selector selects the solver specifically, and not every pod. */
export const selectsSolver = (selector: LabelSelector | undefined) =>
  selector !== undefined && Object.keys(selector).length > 0 && matches(selector, labels);

const hasIssuer = ({ annotations = {} }: ObjectMeta = {}) =>
  ['cert-manager.io/cluster-issuer', 'cert-manager.io/issuer'].some((name) => name in annotations);

/** Errors of an Ingress whose certificate is never issued, because no NetworkPolicy lets its controller reach the solver. */
export function solverErrors(objects: Objects): string[] {
  const isOpen = objects
    .ofKind('NetworkPolicy')
    .some(
      ({ spec }) =>
        selectsSolver(spec?.podSelector) &&
        spec?.ingress?.some(({ ports = [] }) => ports.some((each) => each.port === port)),
    );
  return objects
    .ofKind('Ingress')
    .filter(({ metadata }) => !isOpen && hasIssuer(metadata))
    .map(({ metadata }) => `Ingress ${metadata?.name}: no NetworkPolicy opens the solver of its certificate`);
}

type Labels = Readonly<Record<string, string>>;

/** Namespaces and addresses from which NetworkPolicies let connections to a port of pods with these labels. */
function openTo(objects: Objects, labels: Labels, to: number | string): ReadonlySet<string> {
  const rules = objects
    .ofKind('NetworkPolicy')
    .filter(({ spec }) => matches(spec?.podSelector, labels))
    .flatMap(({ spec }) => spec?.ingress ?? [])
    .filter(({ ports = [] }) => ports.some((each) => each.port === to));
  return new Set(
    rules.flatMap(({ from = [] }) =>
      from.flatMap(({ namespaceSelector, ipBlock }) => JSON.stringify(namespaceSelector ?? ipBlock) ?? []),
    ),
  );
}

/** Ports of pods to which an Ingress leads, that of the solver of its certificate among them. */
function targetsOf(objects: Objects, { metadata, spec }: Ingress): (readonly [Labels, number | string])[] {
  const paths = (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
  const targets = paths.flatMap(({ backend: { service: backend } }) => {
    const service = objects.ofKind('Service').find((each) => each.metadata?.name === backend?.name);
    const own = service?.spec?.ports?.find(
      (each) => each.name === backend?.port?.name || each.port === backend?.port?.number,
    );
    const pods = podsOf(objects, { matchLabels: service?.spec?.selector ?? {} });
    return pods.map((pod) => [pod.metadata?.labels ?? {}, own?.targetPort ?? own?.port ?? ''] as const);
  });
  return hasIssuer(metadata) ? [...targets, [labels, port]] : targets;
}

/** Errors of an Ingress whose controller, which runs in one namespace, can reach only some of its targets. */
export function controllerErrors(objects: Objects): string[] {
  return objects.ofKind('Ingress').flatMap((ingress) => {
    const [first = new Set<string>(), ...others] = targetsOf(objects, ingress).map(([of, to]) =>
      openTo(objects, of, to),
    );
    const hasCommon = [...first].some((peer) => others.every((peers) => peers.has(peer)));
    return hasCommon ? [] : [`${titleOf(ingress)}: what it leads to is open to different namespaces`];
  });
}
