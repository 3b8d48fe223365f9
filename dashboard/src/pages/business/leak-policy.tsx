import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { type Option, OptionsField, SettingPanel } from './setting-panel.tsx';

type LeakPolicy = components['schemas']['LeakPolicy'];

const options: readonly Option<LeakPolicy['policy']>[] = [
  {
    value: 'notify',
    label: 'Only inform the owners',
    description:
      'The key keeps working, also for those who found it, until it is rotated, frozen or deleted.',
  },
  {
    value: 'freeze',
    label: 'Freeze the key',
    description: 'Every request with the key is refused until the freeze is lifted on the page of the key.',
  },
  {
    value: 'delete',
    label: 'Delete the key',
    description: 'The key stops working permanently. Programs that use it need a new one.',
  },
];

const path = '/businesses/{businessId}/leak-policy';

/** The policy for API keys that are reported as leaked. */
export function LeakPolicyPanel() {
  const { id: businessId } = useBusiness();
  const params = { path: { businessId } };
  const query = useQuery({
    queryKey: businessKey(businessId, 'leak-policy'),
    queryFn: ({ signal }) => unwrap(api.GET(path, { params, signal })),
    refetchOnWindowFocus: true,
  });
  return (
    <SettingPanel<LeakPolicy>
      title="Leaked API keys"
      description="People and secret scanners report keys that they find, for example in a public repository. The owners get an email at once. What else happens to such a key:"
      query={query}
      queryKey="leak-policy"
      save={(body) => unwrap(api.PUT(path, { params, body }))}
      text={({ policy }) => {
        const { label, description } = options.find(({ value }) => value === policy) ?? {};
        return `${label}. ${description}`;
      }}
    >
      {({ policy }, change) => (
        <OptionsField
          label="What happens to a leaked key"
          options={options}
          value={policy}
          onChange={(chosen) => change({ policy: chosen })}
        />
      )}
    </SettingPanel>
  );
}
