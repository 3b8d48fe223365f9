import { Button, Progress, Text, VisuallyHidden } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleDashed, IconHelpCircle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Panel } from '../../parts/panel.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { useDismissedStart } from './dismissed-start.ts';
import classes from './overview.module.css';
import type { Start } from './overview.ts';
import { type StartStep, startSteps } from './start-steps.ts';

/** The first steps, until all of them are taken or the list is put away. */
export function StartChecklist({ start }: { readonly start: Start }) {
  const { id } = useBusiness();
  const [isDismissed, dismiss] = useDismissedStart(id);
  const steps = startSteps(start);
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

const states = {
  done: { icon: IconCircleCheckFilled, color: 'var(--mantine-color-green-light-color)', word: 'Done' },
  open: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)', word: 'To do' },
  unknown: { icon: IconHelpCircle, color: 'var(--mantine-color-dimmed)', word: 'Not known at the moment' },
} as const;

function Step({ step }: { readonly step: StartStep }) {
  const { title, text, isDone } = step;
  const { icon: Icon, color, word } = states[isDone === undefined ? 'unknown' : isDone ? 'done' : 'open'];
  return (
    <li className={classes.step}>
      <Icon size={22} color={color} aria-hidden className={classes.stepIcon ?? ''} />
      <div className={classes.stepText}>
        <Text fw={600} size="sm">
          {title}
          <VisuallyHidden>: {word}</VisuallyHidden>
        </Text>
        <Text size="sm" c="dimmed">
          {isDone === undefined ? 'We cannot tell at the moment.' : text}
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
