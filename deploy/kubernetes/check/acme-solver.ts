import type { LabelSelector, ObjectMeta } from 'kubernetes-types/meta/v1.d.ts';
import { matches, type Objects } from './objects.ts';

/** Pods of cert-manager in the namespace of an Ingress, which respond to the challenge (HTTP-01) of its certificate. */
const labels = { 'acme.cert-manager.io/http01-solver': 'true' };

const port = 8089;

/** Whether a selector names the solver, and not merely every pod. */
export const selectsSolver = (selector: LabelSelector | undefined) =>
  selector !== undefined && Object.keys(selector).length > 0 && matches(selector, labels);

const hasIssuer = ({ annotations = {} }: ObjectMeta = {}) =>
  ['cert-manager.io/cluster-issuer', 'cert-manager.io/issuer'].some((name) => name in annotations);

/** An Ingress whose certificate is never issued, since no NetworkPolicy lets its controller reach the solver. */
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
