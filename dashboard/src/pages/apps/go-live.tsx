import { Button, Text } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react';
import { useState } from 'react';
import { Panel } from '../../components/panel.tsx';
import { Loaded } from '../../components/states.tsx';
import { type Application, type GoLiveStep, useGoLiveSteps } from './api.ts';
import classes from './apps.module.css';

/** Steps before an app goes live; folded once all are done. */
export function GoLivePanel({ application }: { readonly application: Application }) {
  const query = useGoLiveSteps(application.id);
  const [isUnfolded, setIsUnfolded] = useState(false);
  const steps = query.data?.steps ?? [];
  const done = steps.filter(({ isDone }) => isDone).length;
  const isFolded = steps.length > 0 && done === steps.length && !isUnfolded;
  return (
    <Panel
      title="Go live"
      description="Steps complete themselves, from the settings of the app and its real requests."
      actions={
        isFolded ? (
          <Button variant="default" size="xs" onClick={() => setIsUnfolded(true)}>
            Show the steps
          </Button>
        ) : undefined
      }
    >
      <Loaded query={query}>
        {() => (
          <>
            <Text size="sm" fw={600}>
              {done === steps.length
                ? `All ${done} steps are done.`
                : `${done} of ${steps.length} steps are done.`}
            </Text>
            {!isFolded && (
              <ol className={classes.steps}>
                {steps.map((step) => (
                  <Step key={step.id} step={step} />
                ))}
              </ol>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const outcomes = {
  done: { icon: IconCircleCheckFilled, color: 'var(--mantine-color-green-light-color)', label: 'Done' },
  open: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)', label: 'Not yet' },
} as const;

function Step({ step: { words, advice, isDone } }: { readonly step: GoLiveStep }) {
  const { icon: Icon, color, label } = outcomes[isDone ? 'done' : 'open'];
  return (
    <li className={classes.step}>
      <Icon size={20} color={color} aria-hidden />
      <div>
        <Text size="sm">{words}</Text>
        {!isDone && (
          <Text size="sm" c="dimmed">
            {advice}
          </Text>
        )}
      </div>
      <Text size="xs" fw={600} c={color}>
        {label}
      </Text>
    </li>
  );
}
