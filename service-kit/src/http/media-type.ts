import { MIMEType } from 'node:util';
import { HttpError } from './errors.ts';

/** Labels of UTF-8 (WHATWG Encoding section 4.2) that clients send. */
const utf8Labels: ReadonlySet<string> = new Set(['utf-8', 'utf8']);

/**
 * The accepted media type of a body. Parameters make no difference but for the charset.
 * @param contentType value of the header
 * @param accepted media types in lower case
 * @throws HttpError 415 for another type, or another charset than UTF-8
 */
export function mediaTypeOf<Type extends string>(
  contentType: string | undefined,
  accepted: readonly Type[],
): Type {
  const read = parse(contentType ?? '');
  const type = accepted.find((candidate) => candidate === read?.essence);
  if (type === undefined) throw new HttpError(415, `Content-Type must be ${accepted.join(' or ')}`);
  const charset = read?.params.get('charset') ?? 'utf-8';
  if (!utf8Labels.has(charset.toLowerCase()))
    throw new HttpError(415, 'the charset of the body must be UTF-8');
  return type;
}

/** Parses a media type as the WHATWG does: malformed parameters are ignored. */
function parse(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    return undefined;
  }
}
