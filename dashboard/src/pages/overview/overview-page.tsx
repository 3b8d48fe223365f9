import { Anchor, Button, Group, Progress, SimpleGrid, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleDashed, IconHelpCircle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { CodeBlock } from '../../components/copy.tsx';
import { curlCommand } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { Loaded, LoadingRows } from '../../components/states.tsx';
import { type UsageSelection, useUsageSelection } from '../../components/usage-chart/usage-panel.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useBusiness, useMayChange } from '../../shell/session-context.ts';
import classes from './overview.module.css';
import {
  type Overview,
  revocationsText,
  type Start,
  type StartStep,
  startSteps,
  useDismissedStart,
  useOverview,
} from './overview.ts';
import { BusiestCredentials, ExpiringKeys, KeysNearLimit, Traffic } from './panels.tsx';

function OverviewSkeleton() {
  return (
    <Stack gap="lg">
      <LoadingRows rows={1} height={360} />
      <LoadingRows rows={2} height={120} />
    </Stack>
  );
}

/** Empty state before the first request: how to send one. */
function FirstRequest({ hasKey }: { readonly hasKey: boolean }) {
  const mayChange = useMayChange();
  return (
    <Panel
      title="No requests yet"
      description="Requests, errors and rate limits appear here a few seconds after your first request."
    >
      <Stack gap="sm">
        <Text size="sm">
          {hasKey
            ? 'Run this in a terminal with your key:'
            : `${mayChange ? 'Create a key' : 'A developer creates a key'}, then run this in a terminal with it:`}
        </Text>
        <CodeBlock code={curlCommand('YOUR_KEY')} what="the command" />
        <Group gap="sm">
          {!hasKey && mayChange && (
            <Button component={Link} href="/settings/developers/keys/new">
              Create a key
            </Button>
          )}
          <Text size="sm">
            <Anchor href="/docs/first-call" target="_blank" rel="noopener">
              First request, step by step
            </Anchor>
          </Text>
        </Group>
      </Stack>
    </Panel>
  );
}

/** The first steps, until all are done or the list is hidden. */
function StartChecklist({ start }: { readonly start: Start }) {
  const { id, verification } = useBusiness();
  const [isDismissed, dismiss] = useDismissedStart(id);
  const steps = startSteps(start, verification === 'pending');
  const done = steps.filter(({ isDone }) => isDone === true).length;
  if (isDismissed || done === steps.length) return null;
  return (
    <Panel
      title="Get started"
      description={`${done} of ${steps.length} steps done`}
      actions={
        <Button variant="subtle" color="gray" size="compact-sm" onClick={dismiss}>
          Hide
        </Button>
      }
    >
      <Progress value={(done / steps.length) * 100} size="sm" color="green" aria-label="Steps done" />
      <ol className={classes.steps}>
        {steps.map((step) => (
          <Step key={step.title} step={step} />
        ))}
      </ol>
    </Panel>
  );
}

const stepStates = {
  done: { icon: IconCircleCheckFilled, color: 'var(--mantine-color-green-light-color)', label: 'Done' },
  open: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)', label: 'To do' },
  unknown: { icon: IconHelpCircle, color: 'var(--mantine-color-dimmed)', label: 'Unknown' },
} as const;

function Step({ step }: { readonly step: StartStep }) {
  const { title, text, isDone } = step;
  const {
    icon: Icon,
    color,
    label,
  } = stepStates[isDone === undefined ? 'unknown' : isDone ? 'done' : 'open'];
  return (
    <li className={classes.step}>
      <Icon size={22} color={color} aria-hidden className={classes.stepIcon ?? ''} />
      <div className={classes.stepText}>
        <Text fw={600} size="sm">
          {title}
          <VisuallyHidden>: {label}</VisuallyHidden>
        </Text>
        <Text size="sm" c="dimmed">
          {isDone === undefined ? 'Status currently unavailable.' : text}
        </Text>
      </div>
      {isDone === true ? (
        <Text size="sm" c="var(--mantine-color-green-light-color)" fw={600} aria-hidden visibleFrom="xs">
          Done
        </Text>
      ) : (
        <StepLink step={step} />
      )}
    </li>
  );
}

function StepLink({ step: { action, href, title, isDocs = false } }: { readonly step: StartStep }) {
  const look = { size: 'xs', variant: 'default', 'aria-label': `${action}: ${title}` } as const;
  return (
    <div className={classes.stepAction}>
      {isDocs ? (
        <Button {...look} component="a" href={href} target="_blank" rel="noopener">
          {action}
        </Button>
      ) : (
        <Button {...look} component={Link} href={href}>
          {action}
        </Button>
      )}
    </div>
  );
}

export default function OverviewPage() {
  const selection = useUsageSelection();
  const query = useOverview(selection.from, selection.to);
  return (
    <>
      <PageHeader title="Overview" />
      <Loaded query={query} loading={<OverviewSkeleton />}>
        {(overview) => (
          <OverviewView overview={overview} isLoading={query.isPlaceholderData} selection={selection} />
        )}
      </Loaded>
    </>
  );
}

function OverviewView({
  overview,
  isLoading,
  selection,
}: {
  readonly overview: Overview;
  readonly isLoading: boolean;
  readonly selection: UsageSelection;
}) {
  const { hours, busiest, limits, endingKeys, hasMoreEndingKeys, start, revocations } = overview;
  const revoked = revocationsText(revocations);
  const mayChange = useMayChange();
  const isNew = !start.firstCall && hours.length === 0;
  return (
    <Stack gap="lg">
      {mayChange && <StartChecklist start={start} />}
      {isNew ? (
        <FirstRequest hasKey={start.keyMade} />
      ) : (
        <Traffic hours={hours} isLoading={isLoading} selection={selection} />
      )}
      {!isNew && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <BusiestCredentials uses={busiest} />
          <Stack gap="lg">
            <KeysNearLimit limits={limits} />
            <ExpiringKeys keys={endingKeys} hasMore={hasMoreEndingKeys} />
          </Stack>
        </SimpleGrid>
      )}
      {revoked !== undefined && (
        <Text size="sm" c="dimmed">
          {revoked}
        </Text>
      )}
    </Stack>
  );
}
