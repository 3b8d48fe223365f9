import { Anchor, Switch, Text } from '@mantine/core';
import { type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { Loaded, LoadingRows } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness, useSession } from '../../shell/session-context.ts';
import { confirmed, type Entered } from '../profile/confirmation.ts';
import { ConfirmForm } from '../profile/password.tsx';
import { type Profile, useProfile } from '../profile/profile.ts';
import { useRefreshBusiness } from './business.ts';
import { useTeam } from './team.ts';

type Requirement = components['schemas']['SecondFactorRequirement'];

/** Since when the business requires a second factor of its people. */
export function useRequiredFactor(): UseQueryResult<Requirement> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'required-second-factor'),
    queryFn: ({ signal }) => {
      const params = { path: { businessId } };
      return unwrap(api.GET('/businesses/{businessId}/required-second-factor', { params, signal }));
    },
    refetchOnWindowFocus: true,
  });
}

/** Whether all people of the business need a second factor; owners decide. */
export function RequiredFactorPanel() {
  const { role } = useBusiness();
  const query = useRequiredFactor();
  return (
    <Panel
      title="Required second factor"
      description="Whether people need an authenticator app or a passkey to open this business in the dashboard and to connect apps for it. API keys and connected apps keep working in any case."
      actions={
        query.data === undefined ? null : query.data.requiredAt === null ? (
          <StatusBadge tone="neutral">Off</StatusBadge>
        ) : (
          <StatusBadge tone="good">On</StatusBadge>
        )
      }
    >
      <Loaded query={query} loading={<LoadingRows rows={1} />}>
        {({ requiredAt }) => (
          <>
            {requiredAt !== null && (
              <Text size="sm">
                Required since <Timestamp at={requiredAt} />.
              </Text>
            )}
            {role === 'owner' ? (
              <RequirementSwitch isRequired={requiredAt !== null} />
            ) : (
              <Text size="sm" c="dimmed">
                Only owners can change this.
              </Text>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function RequirementSwitch({ isRequired }: { readonly isRequired: boolean }) {
  const { person } = useSession();
  const profile = useProfile();
  // Not derived from `isRequired`, which changes while the dialog is still closing.
  const [dialog, setDialog] = useState<'require' | 'lift'>();
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setDialog(isRequired ? 'lift' : 'require');
    setOpen(true);
  };
  return (
    <>
      <Switch
        size="md"
        label="Require a second factor"
        description="You are asked for your password and your second factor."
        checked={isRequired}
        disabled={!person.secondFactor}
        onChange={open}
      />
      {!person.secondFactor && (
        <Text size="sm">
          You have no second factor yourself.{' '}
          <Anchor component={Link} href="~/dashboard/profile" inherit underline="always">
            Turn one on in your profile
          </Anchor>{' '}
          first.
        </Text>
      )}
      {dialog !== undefined && profile.data !== undefined && (
        <RequirementDialog
          isRequiring={dialog === 'require'}
          profile={profile.data}
          opened={isOpen}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function RequirementDialog({
  isRequiring,
  profile,
  opened,
  onClose,
}: {
  readonly isRequiring: boolean;
  readonly profile: Profile;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  const change = useMutation({
    mutationFn: async (entered: Entered) => {
      const request = { params: { path: { businessId } }, body: await confirmed(profile, entered) };
      return unwrap(
        isRequiring
          ? api.PUT('/businesses/{businessId}/required-second-factor', request)
          : api.DELETE('/businesses/{businessId}/required-second-factor', request),
      );
    },
    onSuccess: refresh,
  });
  const close = () => {
    onClose();
    change.reset();
  };
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={isRequiring ? 'Require a second factor?' : 'Stop requiring a second factor?'}
      closeOnClickOutside={false}
    >
      <ConfirmForm
        profile={profile}
        text={
          isRequiring ? (
            <LockedOut />
          ) : (
            'People without a second factor have access again, with their password alone.'
          )
        }
        action={isRequiring ? 'Require it' : 'Stop requiring it'}
        destructive={!isRequiring}
        mutation={change}
        onDone={() => {
          close();
          toast(isRequiring ? 'A second factor is required.' : 'A second factor is no longer required.');
        }}
        onCancel={close}
      />
    </Dialog>
  );
}

/** Names the people who have no access from then on. */
function LockedOut() {
  const names = useTeam().data?.members.filter((each) => each.hasSecondFactor === false);
  if (names === undefined) return null;
  if (names.length === 0) return <>All people of the team have one. Nothing changes for them.</>;
  return (
    <>
      <strong>{names.map(({ name }) => name).join(', ')}</strong> {names.length === 1 ? 'has' : 'have'} none:
      no access to the business until they have one. They keep their role, and API keys keep working.
    </>
  );
}
