import { Anchor, Stack, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { LoadingRows } from '../../parts/loading-rows.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { SurfaceList } from '../../parts/surface.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { ConnectedAppCard } from './connected-app-card.tsx';
import { type ConnectedApp, useConnectedApps } from './connections.ts';
import { DisconnectDialog } from './disconnect-dialog.tsx';

export default function ConnectedPage() {
  const query = useConnectedApps();
  const { role } = useBusiness();
  const [leaving, setLeaving] = useState<ConnectedApp>();
  const [isAsked, setAsked] = useState(false);
  const ask = (app: ConnectedApp) => {
    setLeaving(app);
    setAsked(true);
  };
  return (
    <>
      <PageHeader
        title="Connected apps"
        description="What others’ software may do for this business, and what it really does."
      />
      <Loaded query={query} loading={<LoadingRows rows={2} height={220} />}>
        {(apps) =>
          apps.length === 0 ? (
            <NothingConnected />
          ) : (
            <Stack gap="md">
              {role === 'member' && (
                <Text size="sm" c="dimmed">
                  Only owners of the business can disconnect an app.
                </Text>
              )}
              <SurfaceList label="Connected apps">
                {apps.map((app) => (
                  <ConnectedAppCard
                    key={app.id}
                    app={app}
                    onDisconnect={role === 'owner' ? () => ask(app) : undefined}
                  />
                ))}
              </SurfaceList>
              <LoadMore query={query} />
            </Stack>
          )
        }
      </Loaded>
      {leaving !== undefined && (
        <DisconnectDialog app={leaving} opened={isAsked} onClose={() => setAsked(false)} />
      )}
    </>
  );
}

function NothingConnected() {
  return (
    <EmptyState icon={IconPlugConnected} title="No app is connected">
      When you use other software with this business, it sends you here to approve what it may do. Every app
      that you approve stands on this page, and you can end its access at any time. Apps that you make
      yourself are under{' '}
      <Anchor component={Link} href="/developers/apps">
        Apps
      </Anchor>
      .
    </EmptyState>
  );
}
