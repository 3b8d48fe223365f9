import { Text } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleDashed, IconCircleXFilled } from '@tabler/icons-react';
import { Panel } from '../../components/panel.tsx';
import classes from './requests.module.css';
import type { ApiRequestDetail, RequestCheck } from './requests.ts';

const outcomes = {
  passed: { icon: IconCircleCheckFilled, color: 'var(--mantine-color-green-light-color)', label: 'Passed' },
  failed: { icon: IconCircleXFilled, color: 'var(--mantine-color-error)', label: 'Failed' },
  not_reached: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)', label: 'Not checked' },
} as const;

/** The checks of a request and their outcomes. */
export function RequestChecks({
  request: { decision, explanation },
}: {
  readonly request: ApiRequestDetail;
}) {
  return (
    <Panel title="Checks" description="Every request passes these checks in this order.">
      <ol className={classes.checks}>
        {decision.map((each) => (
          <Step key={each.check} check={each} problem={explanation?.problem} />
        ))}
      </ol>
    </Panel>
  );
}

function Step({
  check: { outcome, words },
  problem,
}: {
  readonly check: RequestCheck;
  readonly problem: string | undefined;
}) {
  const { icon: Icon, color, label } = outcomes[outcome];
  return (
    <li className={classes.check} data-outcome={outcome}>
      <Icon size={20} color={color} aria-hidden className={classes.checkIcon ?? ''} />
      <div>
        <Text
          size="sm"
          fw={outcome === 'failed' ? 600 : 400}
          {...(outcome === 'not_reached' && { c: 'dimmed' })}
        >
          {words}
        </Text>
        {outcome === 'failed' && (
          <Text size="sm" c="dimmed">
            {problem}
          </Text>
        )}
      </div>
      <Text size="xs" fw={600} c={color} className={classes.checkLabel ?? ''}>
        {label}
      </Text>
    </li>
  );
}
