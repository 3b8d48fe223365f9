import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { errorFields } from './error-fields.ts';

export type { Logger } from 'pino';

/** Strings that may never reach a log, wherever they stand in a line: our secrets and passports. */
const secretShape = /\b([a-z]{2})_[0-9A-Za-z]{39}\b|\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

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

/** JSON lines with redaction: known fields by name, our secrets by shape. */
export function createLogger({ service, level, stream }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { ...redactedFields, err: (error: unknown) => error && errorFields(error) },
      hooks: {
        streamWrite: (line) => line.replace(secretShape, (_, prefix) => `${prefix ?? 'jwt'}_[redacted]`),
      },
    },
    stream ?? destination({ fd: 1, sync: false, minLength: 4_096, periodicFlush: 200 }),
  );
}
