import { maxInvalidField } from '@platform/protos/vocabulary';
import type { Api, Operation } from '@platform/service-kit/api/api.ts';
import { recordedField } from '@platform/service-kit/telemetry/recorded-field.ts';
import type { RequestHandler } from 'express';
import { createBodyCheck } from './body.ts';
import { DocumentSchemas } from './document-schemas.ts';
import type { RequestCheck } from './invalid.ts';
import { createParametersCheck } from './parameters.ts';

export type RequestChecks = ReadonlyMap<Operation, RequestCheck>;

/** The checks of the operations that ask for them (`x-validate`). @throws ApiDocumentError for what cannot be checked */
export function createRequestChecks({ operations }: Pick<Api, 'operations'>): RequestChecks {
  const validated = operations.filter(({ definition }) => definition['x-validate']);
  const checks = new Map<Operation, RequestCheck>();
  for (const [document, group] of Map.groupBy(validated, (operation) => operation.document)) {
    const schemas = new DocumentSchemas(document);
    for (const operation of group) {
      const parameters = createParametersCheck(operation, schemas);
      const body = createBodyCheck(operation, schemas);
      checks.set(operation, (req) => parameters(req) ?? body(req));
    }
  }
  return checks;
}

/** Refuses a request that the document of its operation does not accept, where the operation asks for that. */
export function validateRequest(checks: RequestChecks): RequestHandler {
  return (req, _res, next) => {
    const { exchange } = req;
    const operation = exchange.route?.kind === 'found' ? exchange.route.validated : undefined;
    if (operation === undefined) return next();
    const problem = checks.get(operation)?.(req);
    if (problem === undefined) return next();
    const { error, field } = problem;
    exchange.invalidInput = `${error.reason} ${recordedField(field, maxInvalidField)}`.trimEnd();
    exchange.refuse(error);
  };
}
