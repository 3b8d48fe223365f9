import { Anchor, Text } from '@mantine/core';
import { IconMoodCheck } from '@tabler/icons-react';
import { Link } from 'wouter';
import { CredentialName } from '../../components/credential-name.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatNumber } from '../../components/format.ts';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { HttpStatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type RequestFilter, requestsPath } from './filter.ts';
import { endpointLabel } from './filter-options.ts';
import classes from './requests.module.css';
import { type RequestGroup, useRequestGroups } from './requests.ts';

/** Refused and failed requests by reason, endpoint and credential. */
export function Groups({ filter }: { readonly filter: RequestFilter }) {
  return (
    <Loaded query={useRequestGroups(filter)}>
      {(groups) =>
        groups.length === 0 ? (
          <EmptyState icon={IconMoodCheck} title="No request was refused or failed">
            None of this time that the filters match.
          </EmptyState>
        ) : (
          <DataTable
            label="Refused and failed requests"
            columns={columnsOf(filter)}
            rows={groups}
            keyOf={keyOf}
            cardsBelow="md"
          />
        )
      }
    </Loaded>
  );
}

const keyOf = ({ method, route, status, reason, credential }: RequestGroup) =>
  [method, route, status, reason, credential?.limitId].join(' ');

const columnsOf = (filter: RequestFilter): readonly Column<RequestGroup>[] => [
  { header: 'Reason', cell: (group) => <ReasonCell group={group} filter={filter} /> },
  { header: 'Status', cell: ({ status }) => <HttpStatusBadge status={status} hasFailed /> },
  { header: 'Key or app', cell: ({ credential }) => <Credential credential={credential} /> },
  { header: 'Requests', numeric: true, cell: ({ requests }) => formatNumber(requests) },
  { header: 'Trend', cell: ({ trend }) => <Trend counts={trend} /> },
  { header: 'First', cell: ({ firstAt }) => <Timestamp at={firstAt} /> },
  { header: 'Last', cell: ({ lastAt }) => <Timestamp at={lastAt} /> },
];

function ReasonCell({ group, filter }: { readonly group: RequestGroup; readonly filter: RequestFilter }) {
  const { method, route, status, reason, credential, title } = group;
  const requests: RequestFilter = {
    ...filter,
    status: String(status),
    reason: reason ?? 'none',
    method,
    route: route ?? 'none',
    credential: credential?.limitId,
    span: filter.span ?? '24h',
  };
  return (
    <>
      <Anchor
        component={Link}
        href={requestsPath(requests)}
        size="sm"
        fw={600}
        c="var(--mantine-color-text)"
        lineClamp={3}
      >
        {title}
      </Anchor>
      <Text size="xs" c="dimmed" ff="monospace" fw={400}>
        {endpointLabel(method, route)}
      </Text>
    </>
  );
}

function Credential({ credential }: Pick<RequestGroup, 'credential'>) {
  if (credential === null) return 'Unknown';
  const { caller, limitId } = credential;
  if (caller === null) return limitId;
  return (
    <CredentialName credential={caller} isClient={limitId === caller.id && caller.kind === 'application'} />
  );
}

const barWidth = 6;

const height = 24;

/** Bars of the parts of a time. */
function Trend({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(...counts);
  return (
    <svg
      role="img"
      aria-label={`In ${counts.length} equal parts of the time: ${counts.map(formatNumber).join('; ')}`}
      width={counts.length * (barWidth + 2)}
      height={height}
      className={classes.trend}
    >
      {counts.map((count, part) => {
        const tall = count === 0 ? 1 : Math.max(2, Math.round((count / most) * height));
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other name
            key={part}
            x={part * (barWidth + 2)}
            y={height - tall}
            width={barWidth}
            height={tall}
            data-empty={count === 0 || undefined}
          />
        );
      })}
    </svg>
  );
}
