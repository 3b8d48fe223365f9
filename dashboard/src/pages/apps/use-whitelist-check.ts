import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import { asSentence } from '../../api/form-faults.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/business-context.ts';
import { entriesOf } from './app-draft.ts';
import { type EntryFaults, entryFaults } from './list-rows.ts';

/** Milliseconds after the last change until the server is asked. */
const pauseMs = 400;

/** What a whitelist would do, as the server says. */
export type WhitelistCheck = components['schemas']['WhitelistCheck'];

/** The same, for whoever is writing it. */
export interface WhitelistView extends WhitelistCheck {
  readonly entryFaults: EntryFaults;
}

/** What the server says of a whitelist while it is written; undefined until it has answered. */
export function useWhitelistCheck(
  applicationId: string | undefined,
  rows: readonly string[],
): WhitelistView | undefined {
  const { id: businessId } = useBusiness();
  const [settled] = useDebouncedValue(rows, pauseMs);
  const entries = entriesOf(settled);
  const { data } = useQuery({
    queryKey: businessKey(businessId, 'whitelist-check', applicationId, entries),
    queryFn: async ({ signal }): Promise<WhitelistView> => {
      const check = await checkWhitelist(businessId, applicationId, entries, signal);
      const faults = Object.entries(check.faults).map(([path, text]) => [path, asSentence(text)]);
      return { ...check, entryFaults: entryFaults(Object.fromEntries(faults), 'ipWhitelist', entries) };
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return data;
}

/** Asks the server what a whitelist would do; of an app that is still to be registered without an id. */
export function checkWhitelist(
  businessId: string,
  applicationId: string | undefined,
  entries: readonly string[],
  signal?: AbortSignal,
): Promise<WhitelistCheck> {
  const call = { body: { ipWhitelist: [...entries] }, ...(signal && { signal }) };
  return applicationId === undefined
    ? answerOf(
        api.POST('/businesses/{businessId}/whitelist-check', { params: { path: { businessId } }, ...call }),
      )
    : answerOf(
        api.POST('/businesses/{businessId}/applications/{applicationId}/whitelist-check', {
          params: { path: { businessId, applicationId } },
          ...call,
        }),
      );
}
