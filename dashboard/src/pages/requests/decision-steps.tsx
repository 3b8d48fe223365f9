import { Text } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleDashed, IconCircleXFilled } from '@tabler/icons-react';
import { Panel } from '../../parts/panel.tsx';
import classes from './requests.module.css';
import type { ApiRequestDetail, RequestCheck } from './requests.ts';

const looks = {
  passed: { icon: IconCircleCheckFilled, color: 'var(--mantine-color-green-light-color)', word: 'Passed' },
  failed: { icon: IconCircleXFilled, color: 'var(--mantine-color-error)', word: 'Failed' },
  not_reached: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)', word: 'Not reached' },
} as const;

/** The decision about a request, check by check. */
export function DecisionSteps({ request }: { readonly request: ApiRequestDetail }) {
  return (
    <Panel title="The decision" description="Every request goes through these checks, in this order.">
      <ol className={classes.checks}>
        {request.decision.map((each) => (
          <Step key={each.check} check={each} problem={request.problem} />
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
  readonly problem: string;
}) {
  const { icon: Icon, color, word } = looks[outcome];
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
      <Text size="xs" fw={600} c={color} className={classes.checkWord ?? ''}>
        {word}
      </Text>
    </li>
  );
}
