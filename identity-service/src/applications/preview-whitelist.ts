import { checkIpWhitelist, isWhitelisted } from './ip-whitelist.ts';
import { listFaults, type SettingsFaults } from './settings-faults.ts';

/** An address from which an application called. */
interface Caller {
  readonly address: string;
  /** Milliseconds since 1970; undefined when nothing succeeded. */
  readonly lastSuccessAt: number | undefined;
}

/** What a whitelist would do, before it is saved. */
export interface WhitelistPreview<Of extends Caller> {
  /** By entry, as `ipWhitelist.2`. What follows is said of the entries without a fault. */
  readonly faults: SettingsFaults;
  /** Whether the person's own address would be let in. */
  readonly allowed: boolean;
  /** Callers with success that would not be let in any more; the latest success first. */
  readonly shutOut: readonly Of[];
}

/** Judges a whitelist by the addresses that called lately. */
export function previewWhitelist<Of extends Caller>(
  candidates: readonly string[],
  clientIp: string,
  callers: readonly Of[],
): WhitelistPreview<Of> {
  const faults = listFaults('ipWhitelist', candidates, checkIpWhitelist);
  const sound = candidates.filter((_, i) => faults[`ipWhitelist.${i}`] === undefined);
  const whitelist = sound.flatMap((entry) => checkIpWhitelist([entry]));
  const succeeded = callers.filter(({ lastSuccessAt }) => lastSuccessAt !== undefined);
  const shutOut = succeeded
    .filter(({ address }) => !isWhitelisted(whitelist, address))
    .sort((a, b) => (b.lastSuccessAt ?? 0) - (a.lastSuccessAt ?? 0));
  return { faults, allowed: isWhitelisted(whitelist, clientIp), shutOut };
}
