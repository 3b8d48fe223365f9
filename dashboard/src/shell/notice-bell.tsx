import { ActionIcon, Indicator } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useUnreadNotices } from '../api/notices.ts';
import { pluralize } from '../components/format.ts';

const maxShown = 99;

/** Opens the notices, with the number of unread ones. */
export function NoticeBell() {
  const { data: unread = 0 } = useUnreadNotices();
  const label = unread === 0 ? 'Notices' : `Notices: ${pluralize(unread, 'unread notice')}`;
  return (
    <Indicator
      label={unread > maxShown ? `${maxShown}+` : unread}
      disabled={unread === 0}
      size={16}
      offset={6}
      color="red"
      aria-hidden={false}
    >
      <ActionIcon
        component={Link}
        href="/notices"
        variant="subtle"
        color="gray"
        size={36}
        radius="xl"
        aria-label={label}
      >
        <IconBell size={18} stroke={1.7} aria-hidden />
      </ActionIcon>
    </Indicator>
  );
}
