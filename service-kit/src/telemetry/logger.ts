import { type DestinationStream, type Logger, pino } from 'pino';
import { createLogStream } from './log-stream.ts';
import { currentRequest } from './request-context.ts';

/** Matches secrets and passports anywhere in a text, and adjacent base62 characters, which may belong to another secret. */
const secretShape = /([a-z]{2})_[0-9A-Za-z]{45,}|(whs(?:ec|k))_[0-9A-Za-z+/=]+|eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Replaces everything in the shape of a secret by its prefix and `[redacted]`. */
export function redactSecrets(text: string): string {
  return text.replace(secretShape, (_, prefix, webhook) => `${prefix ?? webhook ?? 'jwt'}_[redacted]`);
}

/** An error in a log line. */
interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly stack?: string | undefined;
  readonly cause?: ErrorFields;
}

const maxCauses = 4;

/** The fields that help to locate an error. Others are omitted, because drivers attach whole clients with passwords. */
export function errorFields(error: unknown, causesLeft = maxCauses): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    ...('code' in error && { code: error.code }),
    ...('reason' in error && { reason: error.reason }),
    stack,
    ...(cause !== undefined && causesLeft > 0 && { cause: errorFields(cause, causesLeft - 1) }),
  };
}

export type { Logger } from 'pino';

/** Fields that are always redacted. A serializer costs nothing where its field is absent; pino's `redact` does. */
const redactedFields = Object.fromEntries(
  ['authorization', 'bearer', 'cookie', 'headers', 'keyString', 'passport', 'password', 'secret'].map(
    (name) => [name, () => '[redacted]'],
  ),
);

interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Where lines go; standard output when absent. */
  readonly stream?: DestinationStream;
}

/** ISO time of a moment in milliseconds since 1970; lines of the same millisecond share the string. */
export function createIsoTime(): (at: number) => string {
  let lastAt = Number.NaN;
  let last = '';
  return (at) => {
    if (at !== lastAt) {
      lastAt = at;
      last = new Date(at).toISOString();
    }
    return last;
  };
}

const noRequest = {};

/** JSON lines with redaction: known fields by name, our secrets by shape. Lines of a request carry its `requestId`, and `traceId` where it is sampled. */
export function createLogger({ service, level, stream }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const request = currentRequest();
        if (request === undefined) return noRequest;
        const { requestId, span } = request;
        return span === undefined ? { requestId } : { requestId, traceId: span.loggedTraceId };
      },
      mixinMergeStrategy: (fields, mixed) => (mixed === noRequest ? fields : { ...mixed, ...fields }),
      serializers: { ...redactedFields, err: (error: unknown) => error && errorFields(error) },
      hooks: { streamWrite: redactSecrets },
    },
    stream ?? createLogStream(),
  );
}

const slash = 0x2f;

const percent = 0x25;

const at = 0x40;

/** Length from which a segment may hold a secret. */
const long = 30;

/** Matches a secret, even without its prefix or end. No route contains such a word. */
const longWord = /[0-9A-Za-z]{30,}/g;

/** Matches a secret with its prefix that was cut, or has a foreign character in it. */
const damaged = /(?<![0-9A-Za-z])([sr]k|[ar]t|ac|cs)_(?=[^\s/]*\d)(?=[^\s/]*[A-Z])[^\s/"'&=]{8,}/g;

/** Matches an email address: of a customer, where no path or error of ours has one. */
const emailAddress = /(?<![^\s/"'`<>()[\]{},;:?&=@])[^\s/"'`<>()[\]{},;:?&=@]+@[^\s/"'`<>()[\]{},;:?&=@]+/g;

/** A path for a log or a record: printable, with secrets and email addresses redacted, percent-encoded or not. */
export function redactPath(path: string): string {
  if (isPlain(path)) return path;
  const decoded = decode(path);
  const redacted = redact(decoded);
  const kept = redacted === decoded ? redact(path) : redacted;
  return kept.replaceAll(/[^\x20-\x7e]/g, '?');
}

/** Whether a path needs no redaction, which is true for nearly all. A regular expression would take twenty times as long. */
function isPlain(path: string): boolean {
  // The secret of a webhook has slashes.
  if (path.includes('whs')) return false;
  let length = 0;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (code <= 0x20 || code >= 0x7f || code === percent || code === at) return false;
    length = code === slash ? 0 : length + 1;
    if (length >= long) return false;
  }
  return true;
}

function redact(text: string): string {
  return redactSecrets(text)
    .replaceAll(damaged, '$1_[redacted]')
    .replaceAll(longWord, '[redacted]')
    .replaceAll(emailAddress, '[redacted]');
}

/** Decodes byte by byte: invalid UTF-8 may hold a secret, too, and secrets are ASCII. */
function decode(path: string): string {
  return path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
