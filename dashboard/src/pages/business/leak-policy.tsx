import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorAlert, Loaded, LoadingRows } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

type Policy = components['schemas']['LeakPolicy']['policy'];

const policies: readonly { readonly value: Policy; readonly label: string; readonly description: string }[] =
  [
    {
      value: 'notify',
      label: 'Only inform the owners',
      description: 'The key works until an owner rotates, freezes or deletes it.',
    },
    {
      value: 'freeze',
      label: 'Freeze the key',
      description: 'Its requests are refused until the freeze is lifted on its page.',
    },
    {
      value: 'delete',
      label: 'Delete the key',
      description: 'Its requests are refused for good. Programs that use it need another key.',
    },
  ];

function useLeakPolicy() {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'leak-policy'),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/businesses/{businessId}/leak-policy', { params: { path: { businessId } }, signal })),
    refetchOnWindowFocus: true,
  });
}

/** The policy for API keys that are found in public; owners choose. */
export function LeakPolicyPanel() {
  const { role } = useBusiness();
  const query = useLeakPolicy();
  return (
    <Panel
      title="Leaked API keys"
      description="Secret scanners and people report keys that they find, for example in a public repository. Owners get an email at once. What else happens to the key:"
    >
      <Loaded query={query} loading={<LoadingRows rows={3} />}>
        {({ policy }) => (role === 'owner' ? <PolicyForm saved={policy} /> : <PolicyText policy={policy} />)}
      </Loaded>
    </Panel>
  );
}

function PolicyForm({ saved }: { readonly saved: Policy }) {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  // Undefined until the person chooses, so that a change made elsewhere is shown.
  const [chosen, setChosen] = useState<Policy>();
  const policy = chosen ?? saved;
  const saving = useMutation({
    mutationFn: () => {
      const request = { params: { path: { businessId } }, body: { policy } };
      return unwrap(api.PUT('/businesses/{businessId}/leak-policy', request));
    },
    onSuccess: (changed) => {
      client.setQueryData(businessKey(businessId, 'leak-policy'), changed);
      setChosen(undefined);
      toast('Changes saved.');
    },
  });
  const choose = (value: string) => setChosen(policies.find((each) => each.value === value)?.value);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack gap="md" align="flex-start">
        <Radio.Group value={policy} onChange={choose} aria-label="Leaked API keys">
          <Stack gap="sm">
            {policies.map((each) => (
              <Radio key={each.value} {...each} />
            ))}
          </Stack>
        </Radio.Group>
        <ErrorAlert error={saving.error} shown={[]} />
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={policy === saved}>
            Save policy
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function PolicyText({ policy }: { readonly policy: Policy }) {
  const { label, description } = policies.find(({ value }) => value === policy) ?? {};
  return (
    <Text size="sm">
      {label}. {description} Only owners can change this.
    </Text>
  );
}
