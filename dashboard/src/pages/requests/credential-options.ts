import { useQuery } from '@tanstack/react-query';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import { useBusiness } from '../../shell/business-context.ts';

interface Option {
  readonly value: string;
  readonly label: string;
}

/** API keys and connected apps to choose from, by name; the chosen one also where it is gone. */
export function useCredentialOptions(
  chosen: string | undefined,
): readonly { readonly group: string; readonly items: Option[] }[] {
  const { id: businessId } = useBusiness();
  const { data } = useQuery({
    queryKey: businessKey(businessId, 'requests', 'credentials'),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId } };
      const [{ apiKeys }, { connections }] = await Promise.all([
        answerOf(api.GET('/businesses/{businessId}/api-keys', { params, signal })),
        answerOf(api.GET('/businesses/{businessId}/connections', { params, signal })),
      ]);
      return {
        keys: apiKeys.map(({ id, name, lastFour }) => ({ value: id, label: `${name} (…${lastFour})` })),
        apps: connections.map(({ id, application }) => ({ value: id, label: application.name })),
      };
    },
  });
  const { keys = [], apps = [] } = data ?? {};
  const isListed = [...keys, ...apps].some(({ value }) => value === chosen);
  const gone = chosen === undefined || isListed ? [] : [{ value: chosen, label: chosen }];
  return [
    { group: 'API keys', items: keys },
    { group: 'Connected apps', items: apps },
    { group: 'No longer there', items: gone },
  ].filter(({ items }) => items.length > 0);
}
