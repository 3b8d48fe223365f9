import { isIPv6, type Socket } from 'node:net';

/** A request target in absolute-form (RFC 9112 section 3.2.2). */
export interface AbsoluteTarget {
  /** Host, and port unless it is the scheme's own; in lower case. */
  readonly authority: string;
  /** The same target in origin-form. */
  readonly url: string;
}

const absoluteForm = /^(https?):\/\/([^/?#]+)([^#]*)$/i;

const defaultPort: Readonly<Record<string, RegExp>> = { http: /:80$/, https: /:443$/ };

/** Default ports, which are removed from an authority. */
const schemePorts: ReadonlySet<number> = new Set([80, 443]);

/** The parts of a target in absolute-form; undefined for any other. */
export function parseAbsoluteForm(target: string): AbsoluteTarget | undefined {
  const [, scheme = '', authority, rest = ''] = absoluteForm.exec(target) ?? [];
  if (authority === undefined) return undefined;
  return {
    authority: authority.toLowerCase().replace(defaultPort[scheme.toLowerCase()] ?? '', ''),
    url: rest.startsWith('/') ? rest : `/${rest}`,
  };
}

/** Whether an authority names this gateway: the platform's host, or the address to which the client connected. */
export type IsOwnHost = (authority: string, socket: LocalEnd) => boolean;

type LocalEnd = { readonly [Name in 'localAddress' | 'localPort']?: Socket[Name] | undefined };

/** @param publicUrl origin of the platform */
export function createOwnHostCheck(publicUrl: string | undefined): IsOwnHost {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  return (authority, { localAddress, localPort }) => {
    if (authority === publicHost) return true;
    if (localAddress === undefined) return false;
    const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '');
    const host = isIPv6(address) ? `[${address}]` : address;
    return authority === `${host}:${localPort}` || (authority === host && schemePorts.has(localPort ?? 0));
  };
}
