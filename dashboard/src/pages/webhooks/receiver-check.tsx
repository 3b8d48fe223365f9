import { Alert, Anchor, Button, Code, Group, NativeSelect, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { CodeBlock } from '../../components/copy.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { type EndpointOwner, useEndpointCalls, useWebhookChange } from './api.ts';
import type { Endpoint } from './health.ts';
import { frameworks, receiverOf } from './receiver-code.ts';
import { fixOf, guideAt, mustRefuse, type Probe, probeLabels } from './receiver-findings.ts';

interface ReceiverCheckDialogProps extends EndpointOwner {
  readonly endpoint: Endpoint;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Checks the receiver of an endpoint and shows what to fix. */
export function ReceiverCheckDialog({ endpoint, applicationId, opened, onClose }: ReceiverCheckDialogProps) {
  const calls = useEndpointCalls({ applicationId });
  const checking = useWebhookChange(() => calls.check(endpoint.id));
  const [handledTwice, setHandledTwice] = useState<boolean>();
  const { data: report } = checking;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening starts without a result
  useEffect(() => {
    if (!opened) return;
    checking.reset();
    setHandledTwice(undefined);
  }, [opened]);
  const run = () => {
    setHandledTwice(undefined);
    checking.mutate(undefined);
  };
  const findings = [...(report?.findings ?? []), ...(handledTwice === true ? ['not_deduplicated'] : [])];
  const duplicated = report?.probes.find(({ kind, passed }) => kind === 'duplicated' && passed);
  return (
    <ConfirmDialog
      title="Check the receiver"
      wide
      action={report === undefined ? 'Check' : 'Check again'}
      close={report === undefined ? 'Cancel' : 'Close'}
      opened={opened}
      onClose={onClose}
      mutation={checking}
      onConfirm={run}
    >
      <Text size="sm">
        Seven requests with example events go to <Code>{endpoint.url}</Code>: five that it must accept, and
        two that it must refuse.
      </Text>
      {report !== undefined && <Probes probes={report.probes} />}
      {duplicated?.eventId && (
        <HandledOnce eventId={duplicated.eventId} value={handledTwice} onChange={setHandledTwice} />
      )}
      {report !== undefined && findings.length === 0 && (
        <Alert color="green" role="status">
          The receiver responds correctly.
        </Alert>
      )}
      {findings.map((finding) => (
        <Finding key={finding} finding={finding} />
      ))}
      {findings.length > 0 && <ReceiverCode />}
    </ConfirmDialog>
  );
}

function Probes({ probes }: { readonly probes: readonly Probe[] }) {
  return (
    <Table aria-label="Requests">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Request</Table.Th>
          <Table.Th miw={96}>Response</Table.Th>
          <Table.Th>Result</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {probes.map(({ kind, passed, outcome, status, durationMs }) => (
          <Table.Tr key={kind}>
            <Table.Td>
              {probeLabels[kind] ?? kind}
              <Text size="xs" c="dimmed">
                {mustRefuse.has(kind) ? 'Must be refused' : 'Must be accepted'}
              </Text>
            </Table.Td>
            <Table.Td>
              {outcome === 'not_sent' ? 'Not sent' : `${status ?? 'None'} in ${durationMs} ms`}
            </Table.Td>
            <Table.Td>
              <Verdict passed={passed} sent={outcome !== 'not_sent'} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Verdict({ passed, sent }: { readonly passed: boolean; readonly sent: boolean }) {
  if (!sent) return <StatusBadge tone="neutral">Unknown</StatusBadge>;
  return <StatusBadge tone={passed ? 'good' : 'bad'}>{passed ? 'Right' : 'Wrong'}</StatusBadge>;
}

interface HandledOnceProps {
  readonly eventId: string;
  readonly value: boolean | undefined;
  readonly onChange: (handledTwice: boolean) => void;
}

/** Asks about behavior that responses cannot show. */
function HandledOnce({ eventId, value, onChange }: HandledOnceProps) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        The event <Code>{eventId}</Code> was sent twice. How often has your code handled it?
      </Text>
      <Group gap="sm">
        <Button variant={value === false ? 'filled' : 'default'} onClick={() => onChange(false)}>
          Once
        </Button>
        <Button variant={value === true ? 'filled' : 'default'} onClick={() => onChange(true)}>
          Twice
        </Button>
      </Group>
    </Stack>
  );
}

function Finding({ finding }: { readonly finding: string }) {
  const { text, section } = fixOf(finding);
  return (
    <Alert color="red">
      <Text size="sm">{text}</Text>
      {section !== undefined && (
        <Anchor href={guideAt(section)} size="sm" target="_blank">
          How to do it
        </Anchor>
      )}
    </Alert>
  );
}

/** The guide, loaded once it is needed. */
const loadGuide = async () => (await import('../../../../docs-site/guides/webhooks.md?raw')).default;

/** A receiver without any of the mistakes. */
function ReceiverCode() {
  const { data: guide } = useQuery({
    queryKey: ['guide', 'webhooks'],
    queryFn: loadGuide,
    staleTime: Infinity,
  });
  const [name, setName] = useState(frameworks[0]?.name);
  const framework = frameworks.find((one) => one.name === name);
  if (guide === undefined || framework === undefined) return null;
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="end">
        <NativeSelect
          label="A correct receiver"
          data={frameworks.map((one) => one.name)}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Anchor href={guideAt(framework.section)} size="sm" target="_blank">
          In the guide
        </Anchor>
      </Group>
      <CodeBlock code={receiverOf(guide, framework)} what="the receiver" />
    </Stack>
  );
}
