import { Stack } from '@mantine/core';
import { Panel } from '../../components/panel.tsx';
import { DescriptionList } from '../../components/rows.tsx';
import { Loaded, LoadingRows } from '../../components/states.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { PasswordPanel } from './password.tsx';
import { type Profile, useProfile } from './profile.ts';
import { SecondFactorPanel } from './second-factor.tsx';
import { SessionsPanel } from './sessions.tsx';

function PersonPanel({ profile: { name, email } }: { readonly profile: Profile }) {
  return (
    <Panel title="Account" description="Visible to other members of your teams.">
      <DescriptionList
        items={[
          ['Name', name],
          ['Email address', email],
        ]}
      />
    </Panel>
  );
}

export default function ProfilePage() {
  const query = useProfile();
  return (
    <>
      <PageHeader title="Profile" description="Your account and its security." />
      <Loaded query={query} loading={<LoadingRows rows={3} height={150} />}>
        {(profile) => (
          <Stack gap="lg">
            <PersonPanel profile={profile} />
            <PasswordPanel profile={profile} />
            <SecondFactorPanel profile={profile} />
            <SessionsPanel />
          </Stack>
        )}
      </Loaded>
    </>
  );
}
