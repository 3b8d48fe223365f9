import { Stack } from '@mantine/core';
import { Loaded } from '../../parts/loaded.tsx';
import { LoadingRows } from '../../parts/loading-rows.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { PersonPanel } from './person-panel.tsx';
import { useProfile } from './profile.ts';
import { SecondFactorPanel } from './second-factor-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

export default function ProfilePage() {
  const query = useProfile();
  return (
    <>
      <PageHeader title="Profile" description="Your own account, and what keeps it yours." />
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
