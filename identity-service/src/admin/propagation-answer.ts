import type { Propagation } from '@platform/protos/identity';

/** A propagation as `--json` prints it; nothing where there is none. */
export function propagationJson(propagation: Propagation | undefined) {
  if (propagation === undefined) return {};
  return { propagation: propagation === 'PROPAGATION_PENDING' ? 'pending' : 'confirmed' };
}

/** What standard error says while gateways have not confirmed. @param done what has happened, as `revoked` */
export function pendingNotice(done: string, propagation: Propagation | undefined): string | undefined {
  return propagation === 'PROPAGATION_PENDING' ? `${done}; gateways confirm within 30 s` : undefined;
}
