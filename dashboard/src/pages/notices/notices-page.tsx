import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { IconBellCheck } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Surface, SurfaceList } from '../../components/panel.tsx';
import { LoadMore } from '../../components/rows.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useSession } from '../../shell/session-context.ts';
import { EmailChoices } from './email-choices.tsx';
import { type Notice, useMarkRead, useNotices } from './notices.ts';

export default function NoticesPage() {
  const query = useNotices();
  useMarkRead(query);
  return (
    <>
      <PageHeader
        title="Notices"
        description="Important changes to your account and your businesses. Kept for 90 days."
      />
      <Stack gap="lg">
        <Loaded query={query}>
          {(notices) =>
            notices.length === 0 ? (
              <EmptyState icon={IconBellCheck} title="No notices">
                You have no notices from the last 90 days.
              </EmptyState>
            ) : (
              <div>
                <SurfaceList label="Notices">
                  {notices.map((notice) => (
                    <NoticeItem key={notice.id} notice={notice} />
                  ))}
                </SurfaceList>
                <LoadMore query={query} />
              </div>
            )
          }
        </Loaded>
        <EmailChoices />
      </Stack>
    </>
  );
}

function NoticeItem({ notice: { title, text, at, businessId, path, isRead } }: { readonly notice: Notice }) {
  const { businesses } = useSession();
  const business = businesses.find(({ id }) => id === businessId);
  return (
    <Surface component="li">
      <Group justify="space-between" align="flex-start" gap="xs">
        <Group gap="xs">
          <NoticeLink path={path} title={title} />
          {!isRead && (
            <Badge size="sm" variant="light" tt="none">
              New
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          <Timestamp at={at} />
        </Text>
      </Group>
      <Text size="sm" mt={4}>
        {text}
      </Text>
      {business !== undefined && businesses.length > 1 && (
        <Text size="xs" c="dimmed" mt={4}>
          {business.name}
        </Text>
      )}
    </Surface>
  );
}

const base = '/dashboard';

/** Opens dashboard pages in place. Other pages, such as the one for a new password, are separate documents. */
function NoticeLink({ path, title }: { readonly path: string; readonly title: string }) {
  const style = { fw: 600, c: 'var(--mantine-color-text)' } as const;
  return path.startsWith(`${base}/`) ? (
    <Anchor component={Link} href={path.slice(base.length)} {...style}>
      {title}
    </Anchor>
  ) : (
    <Anchor href={path} {...style}>
      {title}
    </Anchor>
  );
}
