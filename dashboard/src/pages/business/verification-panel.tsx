import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import type { Verification } from './business.ts';
import { countryName } from './countries.ts';
import { VerificationForm } from './verification-form.tsx';

const states: Readonly<Record<Verification['state'], { tone: Tone; word: string; text: string }>> = {
  unverified: {
    tone: 'warning',
    word: 'Not verified',
    text: 'Before this business can register apps or connect those of others, we have to know the legal entity behind it. API keys work without.',
  },
  pending: {
    tone: 'waiting',
    word: 'Being checked',
    text: 'We are looking at what was handed in. There is nothing to do until then; API keys work meanwhile.',
  },
  verified: {
    tone: 'good',
    word: 'Verified',
    text: 'This business can register apps, and connect those of others.',
  },
  rejected: {
    tone: 'bad',
    word: 'Rejected',
    text: 'Apps can be registered and connected once the business is verified. API keys work without.',
  },
};

/** The legal entity behind the business: what was handed in, where that stands, and the form. */
export function VerificationPanel({ verification }: { readonly verification: Verification }) {
  const { role } = useBusiness();
  const { state, rejectionReason } = verification;
  const { tone, word, text } = states[state];
  const isOpen = state === 'unverified' || state === 'rejected';
  return (
    <Panel title="Verification" description={text} actions={<StatusBadge tone={tone}>{word}</StatusBadge>}>
      {state === 'rejected' && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title="We could not verify the business"
          role="status"
        >
          {rejectionReason}
        </Alert>
      )}
      <HandedIn verification={verification} withFacts={!isOpen || role === 'member'} />
      {isOpen && role === 'owner' && <VerificationForm key={state} verification={verification} />}
      {isOpen && role === 'member' && (
        <Text size="sm" c="dimmed">
          Only owners of the business can hand in its legal facts.
        </Text>
      )}
    </Panel>
  );
}

function HandedIn({
  verification: { state, facts, submittedAt, decidedAt },
  withFacts,
}: {
  readonly verification: Verification;
  /** False where the form beneath shows them. */
  readonly withFacts: boolean;
}) {
  if (facts === null) return null;
  const { legalName, registrationNumber, country } = facts;
  const decided = state === 'verified' ? 'Verified' : 'Rejected';
  return (
    <Facts
      facts={[
        ...(withFacts
          ? ([
              ['Registered name', legalName],
              ['Number in the register', registrationNumber],
              ['Country', countryName(country)],
            ] as const)
          : []),
        ['Handed in', <Moment key="submitted" at={submittedAt} />],
        ...(decidedAt === null ? [] : [[decided, <Moment key="decided" at={decidedAt} />] as const]),
      ]}
    />
  );
}
