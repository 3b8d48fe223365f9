import { Alert, Anchor, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { unwrap } from '../api/client.ts';
import { Panel } from '../components/panel.tsx';
import { Row, Rows } from '../components/rows.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ActionButton } from './action-button.tsx';
import { type BanProposal, nameOf, operatorsApi } from './api.ts';
import classes from './operators.module.css';

/** Bans and ends of bans that are pending until a second operator decides. */
export function Proposals({ proposals }: { readonly proposals: readonly BanProposal[] }) {
  return (
    <Panel title="Bans" description="An operator other than the one who proposed it decides.">
      <Rows label="Bans" isStacked>
        {proposals.map((proposal) => (
          <Row key={proposal.id} end={<ProposalActions proposal={proposal} />}>
            <Anchor
              component={Link}
              href={`/businesses/${proposal.businessId}`}
              fw={600}
              className={classes.break ?? ''}
            >
              {proposal.isBan ? 'Ban' : 'End of a ban'}: {nameOf(proposal)}
            </Anchor>
            <Text size="sm" className={classes.break ?? ''}>
              “{proposal.reason}”
            </Text>
            <Text size="sm" c="dimmed" className={classes.break ?? ''}>
              <ProposedBy proposal={proposal} />
            </Text>
          </Row>
        ))}
      </Rows>
    </Panel>
  );
}

/** The proposer, the time, and until when it can be decided. */
function ProposedBy({ proposal }: { readonly proposal: BanProposal }) {
  return (
    <>
      {proposal.proposedBy ?? 'A deleted account'}, <Timestamp at={proposal.proposedAt} />. Expires{' '}
      <Timestamp at={proposal.expiresAt} />.
    </>
  );
}

/** A pending proposal, on the page of its business. */
export function PendingProposal({ proposal }: { readonly proposal: BanProposal }) {
  const what = proposal.isBan ? 'A ban is proposed' : 'The end of the ban is proposed';
  return (
    <Alert
      color="yellow"
      title={`${what}: ${proposal.isYours ? 'another operator decides' : 'you can decide'}`}
      className={classes.break ?? ''}
    >
      <ProposedBy proposal={proposal} /> “{proposal.reason}”
    </Alert>
  );
}

/** Confirms or declines the proposal of another operator. */
export function ProposalActions({ proposal: { id, isBan, isYours } }: { readonly proposal: BanProposal }) {
  if (isYours) return <Text size="sm">Yours</Text>;
  const params = { path: { proposalId: id } };
  const path = '/proposals/{proposalId}';
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionButton
        action="Confirm"
        title={isBan ? 'Confirm the ban?' : 'Confirm the end of the ban?'}
        destructive={isBan}
        readers="Only operators see it"
        done="Done."
        send={(reason) => unwrap(operatorsApi.POST(`${path}/confirm`, { params, body: { reason } }))}
      >
        <Text size="sm">Takes effect immediately. The owners see the reason of the proposal.</Text>
      </ActionButton>
      <ActionButton
        action="Decline"
        title="Decline the proposal?"
        done="Declined."
        send={(reason) => unwrap(operatorsApi.POST(`${path}/decline`, { params, body: { reason } }))}
      >
        <Text size="sm">Nothing changes for the business.</Text>
      </ActionButton>
    </Group>
  );
}
