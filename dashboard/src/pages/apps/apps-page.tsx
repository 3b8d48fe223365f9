import { Button, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Loaded } from '../../parts/loaded.tsx';
import { LoadingRows } from '../../parts/loading-rows.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { SurfaceList } from '../../parts/surface.tsx';
import { AppCard } from './app-card.tsx';
import { type Applications, useApplications } from './applications.ts';
import { NoApps } from './no-apps.tsx';
import { ObstacleNotice } from './obstacle-notice.tsx';

export default function AppsPage() {
  const query = useApplications();
  const { data } = query;
  const mayRegister = data !== undefined && data.obstacle === null && data.applications.length > 0;
  return (
    <>
      <PageHeader
        title="Apps"
        description="Apps let other businesses connect your software to their account, with permissions that they approve."
        actions={
          mayRegister && (
            <Button
              component={Link}
              href="/developers/apps/new"
              leftSection={<IconPlus size={16} aria-hidden />}
            >
              Register an app
            </Button>
          )
        }
      />
      <Loaded query={query} loading={<LoadingRows rows={2} height={170} />}>
        {(answer) => <AppList {...answer} />}
      </Loaded>
    </>
  );
}

function AppList({ applications, limit, obstacle }: Applications) {
  return (
    <Stack gap="md">
      {applications.length === 0 ? (
        <NoApps obstacle={obstacle} />
      ) : (
        <>
          {obstacle !== null && <ObstacleNotice obstacle={obstacle} />}
          <Text size="sm" c="dimmed">
            {applications.length} of {limit} apps
          </Text>
          <SurfaceList label="Apps">
            {applications.map((application) => (
              <AppCard key={application.id} application={application} />
            ))}
          </SurfaceList>
        </>
      )}
    </Stack>
  );
}
