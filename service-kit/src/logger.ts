import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { errorFields } from './error-fields.ts';
import { redactSecrets } from './redact-secrets.ts';
import { currentRequest } from './request-context.ts';

export type { Logger } from 'pino';

/** Fields whose values never reach a log. Serializers cost nothing where the field is absent; pino's `redact` does. */
const redactedFields = Object.fromEntries(
  ['authorization', 'bearer', 'cookie', 'headers', 'keyString', 'passport', 'password', 'secret'].map(
    (name) => [name, () => '[redacted]'],
  ),
);

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Where lines go; standard output when absent. */
  readonly stream?: DestinationStream;
}

const noRequest = {};

/** JSON lines with redaction: known fields by name, our secrets by shape. Lines of a request carry its `requestId`. */
export function createLogger({ service, level, stream }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const request = currentRequest();
        return request === undefined ? noRequest : { requestId: request.requestId };
      },
      mixinMergeStrategy: (fields, mixed) => (mixed === noRequest ? fields : { ...mixed, ...fields }),
      serializers: { ...redactedFields, err: (error: unknown) => error && errorFields(error) },
      hooks: { streamWrite: redactSecrets },
    },
    stream ?? destination({ fd: 1, sync: false, minLength: 15_360, periodicFlush: 200 }),
  );
}
