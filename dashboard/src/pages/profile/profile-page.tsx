import { Stack } from '@mantine/core';
import { Loaded, LoadingRows } from '../../components/states.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { DeleteAccountPanel } from './delete-account.tsx';
import { PersonPanel } from './email.tsx';
import { PasskeysPanel } from './passkeys.tsx';
import { PasswordPanel } from './password.tsx';
import { useProfile } from './profile.ts';
import { SecondFactorPanel } from './second-factor.tsx';
import { SessionsPanel } from './sessions.tsx';

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
            <PasskeysPanel profile={profile} />
            <SessionsPanel />
            <DeleteAccountPanel profile={profile} />
          </Stack>
        )}
      </Loaded>
    </>
  );
}
