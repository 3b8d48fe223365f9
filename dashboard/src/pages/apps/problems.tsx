import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatNumber, pluralize } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Loaded } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type Application, type Problem, useProblems } from './api.ts';
import classes from './apps.module.css';

/** Problems of an app, the heaviest first. */
export function ProblemsPanel({ application }: { readonly application: Application }) {
  const query = useProblems(application.id);
  return (
    <Panel
      title="Problems"
      description="What went wrong in the last 7 days, what matters most first, and what to change."
    >
      <Loaded query={query}>
        {({ problems }) =>
          problems.length === 0 ? (
            <Text size="sm" c="dimmed">
              No failed requests in the last 7 days.
            </Text>
          ) : (
            <Rows label="Problems" isStacked>
              {problems.map((problem) => (
                <Row key={`${problem.reason} ${problem.isListed}`} end={<ProblemCount problem={problem} />}>
                  <ProblemText problem={problem} applicationId={application.id} />
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Panel>
  );
}

function ProblemText({
  problem,
  applicationId,
}: {
  readonly problem: Problem;
  readonly applicationId: string;
}) {
  const { title, advice, help, reason, isListed, businesses } = problem;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm">{advice}</Text>
      {businesses.length > 0 && (
        <Text size="sm" c="dimmed">
          For {businesses.map(describeBusiness).join(', ')}
        </Text>
      )}
      <Group gap="md">
        {isListed && (
          <Anchor
            component={Link}
            href={`/settings/developers/requests?${new URLSearchParams({ credential: applicationId, reason })}`}
            size="sm"
          >
            Show these requests
          </Anchor>
        )}
        <Anchor href={help} target="_blank" rel="noopener" size="sm">
          About this error
        </Anchor>
      </Group>
    </Stack>
  );
}

function describeBusiness({ name, requests }: Problem['businesses'][number]): string {
  return `${name ?? 'a business whose name is unavailable'} (${formatNumber(requests)})`;
}

function ProblemCount({ problem: { requests, lastAt } }: { readonly problem: Problem }) {
  return (
    <div className={classes.figure}>
      <Text size="sm" fw={600}>
        {pluralize(requests, 'request')}
      </Text>
      <Text size="xs" c="dimmed">
        Last: <Timestamp at={lastAt} />
      </Text>
    </div>
  );
}
