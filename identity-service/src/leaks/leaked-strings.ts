import type { KeyObject } from 'node:crypto';
import { checkedTokenPrefix, containsSecret, hasTag } from '@platform/service-kit/secrets/checked-token.ts';

/** Where a string was found, as far as the reporter says. */
export interface Place {
  /** Never holds a secret. */
  readonly url: string | undefined;
  /** Name of the scanner or collection. */
  readonly source: string | undefined;
}

/** A reported string. */
export interface LeakedString extends Place {
  readonly text: string;
}

/** Strings that may be credentials, each once, with the first place of it. */
export interface Candidates {
  readonly apiKeys: ReadonlyMap<string, Place>;
  /** Access tokens and refresh tokens. */
  readonly tokens: ReadonlyMap<string, Place>;
  readonly clientSecrets: ReadonlyMap<string, Place>;
}

type Kind = keyof Candidates;

const kinds: Readonly<Record<string, Kind>> = {
  sk: 'apiKeys',
  rk: 'apiKeys',
  at: 'tokens',
  rt: 'tokens',
  cs: 'clientSecrets',
};

/** Prefixes of what has a keyed tag, so that strings that were never issued cost no lookup. */
const tagged: ReadonlySet<string> = new Set(['sk', 'rk', 'at']);

/** The strings that are whole and may be credentials; of any other nothing is looked up. */
export function candidatesOf(found: readonly LeakedString[], tagKeys: readonly KeyObject[]): Candidates {
  const candidates = {
    apiKeys: new Map(),
    tokens: new Map(),
    clientSecrets: new Map(),
  } as const satisfies Record<Kind, Map<string, Place>>;
  for (const { text, ...place } of found) {
    const prefix = checkedTokenPrefix(text) ?? '';
    const kind = kinds[prefix];
    if (kind === undefined || (tagged.has(prefix) && !hasTag(text, tagKeys))) continue;
    if (!candidates[kind].has(text)) candidates[kind].set(text, withoutSecrets(place));
  }
  return candidates;
}

/** Whether nothing is left to look up. */
export function isEmpty({ apiKeys, tokens, clientSecrets }: Candidates): boolean {
  return apiKeys.size + tokens.size + clientSecrets.size === 0;
}

/** Leaves out what holds a secret itself, such as the URL of a search for the key. */
function withoutSecrets({ url, source }: Place): Place {
  const holdsSecret = (text: string) => containsSecret(text) || containsSecret(decoded(text));
  const keep = (text: string | undefined) => (text !== undefined && holdsSecret(text) ? undefined : text);
  return { url: keep(url), source: keep(source) };
}

/** Byte by byte, since a secret is ASCII and the rest may be no UTF-8. */
function decoded(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
