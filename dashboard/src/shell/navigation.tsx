import { NavLink, Stack, Text } from '@mantine/core';
import {
  IconApps,
  IconBook2,
  IconBuildingStore,
  IconExternalLink,
  IconFlask,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconPlugConnected,
  IconTimelineEvent,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import type { OwnBusiness } from '../api/session.ts';
import classes from './navigation.module.css';

interface Entry {
  readonly label: string;
  /** Path within the business. */
  readonly path: string;
  readonly icon: TablerIcon;
}

interface Section {
  readonly title?: string;
  readonly entries: readonly Entry[];
  /** Shown for sandboxes alone. */
  readonly ofSandboxes?: true;
}

/** The contract names the pages: Settings > Developers > Apps, Settings > Developers > API Keys. */
const sections: readonly Section[] = [
  { entries: [{ label: 'Overview', path: '', icon: IconLayoutDashboard }] },
  { title: 'Tests', ofSandboxes: true, entries: [{ label: 'Sandbox', path: '/sandbox', icon: IconFlask }] },
  {
    title: 'Settings',
    entries: [{ label: 'Business', path: '/settings/business', icon: IconBuildingStore }],
  },
  {
    title: 'Settings > Developers',
    entries: [
      { label: 'Apps', path: '/settings/developers/apps', icon: IconApps },
      { label: 'API Keys', path: '/settings/developers/keys', icon: IconKey },
      { label: 'Webhooks', path: '/settings/developers/webhooks', icon: IconWebhook },
      { label: 'Requests', path: '/settings/developers/requests', icon: IconTimelineEvent },
    ],
  },
  {
    title: 'Access',
    entries: [
      { label: 'Connected apps', path: '/connected', icon: IconPlugConnected },
      { label: 'Audit log', path: '/audit', icon: IconHistory },
    ],
  },
];

/** Links to all pages of a business. */
export function Navigation({
  business,
  onNavigate = () => undefined,
}: {
  readonly business: OwnBusiness | undefined;
  readonly onNavigate?: () => void;
}) {
  const [location] = useLocation();
  return (
    <>
      <div className={classes.scroll}>
        {business !== undefined &&
          sections
            .filter(({ ofSandboxes }) => !ofSandboxes || business.isSandbox)
            .map(({ title, entries }) => (
              <Stack key={title ?? ''} gap={2} className={classes.section}>
                {title !== undefined && <Text className={classes.title}>{title}</Text>}
                {entries.map(({ label, path, icon: Icon }) => {
                  const href = `/${business.id}${path}`;
                  const isCurrent = location === href || (path !== '' && location.startsWith(`${href}/`));
                  return (
                    <NavLink
                      key={path}
                      component={Link}
                      href={href}
                      label={label}
                      active={isCurrent}
                      aria-current={isCurrent ? 'page' : undefined}
                      leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
                      className={classes.link ?? ''}
                      onClick={onNavigate}
                    />
                  );
                })}
              </Stack>
            ))}
      </div>
      <div className={classes.foot}>
        <NavLink
          href="/docs"
          target="_blank"
          rel="noopener"
          label="Docs"
          aria-label="Docs, opens in a new tab"
          leftSection={<IconBook2 size={18} stroke={1.7} aria-hidden />}
          rightSection={<IconExternalLink size={14} aria-hidden />}
          className={classes.link ?? ''}
        />
      </div>
    </>
  );
}
