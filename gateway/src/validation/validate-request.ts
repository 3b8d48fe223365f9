import { maxInvalidField } from '@platform/protos/vocabulary';
import type { Api, Operation } from '@platform/service-kit/api/api.ts';
import { ApiDocumentError } from '@platform/service-kit/api/document.ts';
import { ConfigError } from '@platform/service-kit/config/config.ts';
import { recordedField } from '@platform/service-kit/telemetry/recorded-field.ts';
import type { Request, RequestHandler } from 'express';
import { createBodyCheck } from './body.ts';
import { schemasByDocument } from './document-schemas.ts';
import type { Invalid } from './invalid.ts';
import { createParametersCheck } from './parameters.ts';

/** Undefined for a request that the document accepts. */
type RequestCheck = (req: Request) => Invalid | undefined;

export type RequestChecks = ReadonlyMap<Operation, RequestCheck>;

/** Checks of the operations that ask for it (`x-validate`). @throws ConfigError for a schema that cannot be used */
export function createRequestChecks({ operations }: Pick<Api, 'operations'>): RequestChecks {
  const validated = operations.filter(({ definition }) => definition['x-validate']);
  try {
    const schemas = schemasByDocument(validated);
    return new Map(
      validated.flatMap((operation) => {
        const ofDocument = schemas.get(operation.document);
        if (ofDocument === undefined) return [];
        const parameters = createParametersCheck(operation, ofDocument);
        const body = createBodyCheck(operation, ofDocument);
        return [[operation, (req: Request) => parameters(req) ?? body(req)] as const];
      }),
    );
  } catch (error) {
    if (!(error instanceof ApiDocumentError)) throw error;
    throw new ConfigError([{ name: 'API_DIR', message: error.message }]);
  }
}

/** Refuses a request that the document of its operation does not accept, where the operation asks for it. */
export function validateRequest(checks: RequestChecks): RequestHandler {
  return (req, _res, next) => {
    const { exchange } = req;
    const { route } = exchange;
    const operation = route?.kind === 'found' ? route.operation : undefined;
    if (operation?.definition['x-validate'] !== true) return next();
    const invalid = checks.get(operation)?.(req);
    if (invalid === undefined) return next();
    const { reason, field, text, status: code = 400 } = invalid;
    exchange.invalidInput = `${reason} ${recordedField(field, maxInvalidField)}`.trimEnd();
    exchange.refuse({ code, reason, text });
  };
}
