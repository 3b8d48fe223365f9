import { IconMailOff, IconMailQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import { answerOf, api } from '../../api/client.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { AcceptInvitation } from './accept-invitation.tsx';
import { ForSomebodyElse } from './for-somebody-else.tsx';
import { ToDashboard } from './to-dashboard.tsx';

export default function JoinPage() {
  const [parameters] = useSearchParams();
  const token = parameters.get('token') ?? '';
  return (
    <>
      <PageHeader title="Join a business" />
      {token === '' ? (
        <EmptyState icon={IconMailQuestion} title="This link is not complete" action={<ToDashboard />}>
          Open the link from the mail as a whole, or ask for the invitation to be sent again.
        </EmptyState>
      ) : (
        <Invitation key={token} token={token} />
      )}
    </>
  );
}

function Invitation({ token }: { readonly token: string }) {
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => answerOf(api.POST('/invitations/preview', { body: { token }, signal })),
  });
  if (query.error instanceof ApiError && query.error.reason === 'invitation_over') {
    return (
      <EmptyState icon={IconMailOff} title="This invitation does not work any more" action={<ToDashboard />}>
        It was used, taken back, or is older than a week. If you have accepted it already, the business is in
        your dashboard. Otherwise ask for a new one.
      </EmptyState>
    );
  }
  return (
    <Loaded query={query}>
      {(invitation) =>
        invitation.isForYou ? (
          <AcceptInvitation invitation={invitation} token={token} />
        ) : (
          <ForSomebodyElse invitation={invitation} />
        )
      }
    </Loaded>
  );
}
