import { Alert, Anchor, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconClock } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/errors.ts';
import { businessKey } from '../api/queries.ts';
import type { components } from '../generated/dashboard-api.d.ts';
import { useBusiness } from '../shell/session-context.ts';
import { Dialog } from './dialog.tsx';
import { formatNumber, readCount } from './format.ts';
import { useFocusOnError } from './hooks.ts';
import { ErrorAlert } from './states.tsx';
import { Timestamp } from './timestamp.tsx';
import { toast } from './toast.tsx';

type Request = components['schemas']['LimitRequest'];

/** Unit of a limit, by its kind. */
const counted: Readonly<Record<Request['kind'], string>> = {
  connected_users: 'connected businesses',
  rate_limit: 'requests in any 60 minutes',
};

interface LimitRequestProps {
  readonly kind: Request['kind'];
  /** The app or the API key. */
  readonly subjectId: string;
  readonly currentLimit: number;
}

const useKey = () => businessKey(useBusiness().id, 'limit-requests');

/** The last request for a higher limit, and for owners the way to ask for one. */
export function LimitRequest(props: LimitRequestProps) {
  const { id: businessId, role, isSandbox } = useBusiness();
  const queryKey = useKey();
  const { data } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const params = { path: { businessId } };
      return (await unwrap(api.GET('/businesses/{businessId}/limit-requests', { params, signal })))
        .limitRequests;
    },
  });
  const [isAsking, setAsking] = useState(false);
  if (data === undefined) return null;
  const ofKind = data.filter(({ kind }) => kind === props.kind);
  const last = ofKind.find(({ subjectId }) => subjectId === props.subjectId);
  const isPending = ofKind.some(({ status }) => status === 'pending');
  const isOther = isPending && last?.status !== 'pending';
  return (
    <Stack gap="xs" align="flex-start">
      {last !== undefined && <LastRequest request={last} />}
      {role === 'owner' && isOther && (
        <Text size="sm" c="dimmed">
          Your request for another {props.kind === 'rate_limit' ? 'key' : 'app'} is pending. Once it is
          decided, you can ask for a higher limit here.
        </Text>
      )}
      {role === 'owner' && !isPending && !isSandbox && (
        <Anchor component="button" type="button" size="sm" onClick={() => setAsking(true)}>
          Ask for a higher limit
        </Anchor>
      )}
      <Dialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Ask for a higher limit"
        closeOnClickOutside={false}
      >
        <RequestForm {...props} onDone={() => setAsking(false)} />
      </Dialog>
    </Stack>
  );
}

function LastRequest({ request }: { readonly request: Request }) {
  const { kind, status, requestedLimit, grantedLimit, createdAt, decidedAt, decisionReason } = request;
  const wanted = `${formatNumber(requestedLimit)} ${counted[kind]}`;
  if (status === 'pending') {
    return (
      <Alert color="accent" icon={<IconClock />} p="sm" role="status">
        <Text size="sm">
          Requested <Timestamp at={createdAt} />: {wanted}. You will get an email when it is decided.
        </Text>
      </Alert>
    );
  }
  return (
    <Text size="sm" c="dimmed">
      {grantedLimit === null
        ? `Your request for ${wanted} was declined`
        : `Raised to ${formatNumber(grantedLimit)}`}{' '}
      on <Timestamp at={decidedAt} format="date" />.{decisionReason !== null && ` Reason: ${decisionReason}`}
    </Text>
  );
}

function RequestForm({
  kind,
  subjectId,
  currentLimit,
  onDone,
}: LimitRequestProps & { readonly onDone: () => void }) {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const queryKey = useKey();
  const form = useForm({ initialValues: { limit: String(currentLimit * 2), reason: '' } });
  const asking = useMutation({
    mutationFn: (values: typeof form.values) => {
      const body = { kind, subjectId, limit: readCount(values.limit), reason: values.reason };
      return unwrap(
        api.POST('/businesses/{businessId}/limit-requests', { params: { path: { businessId } }, body }),
      );
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey });
      toast('Request sent.');
      onDone();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const formRef = useFocusOnError(asking.error);
  return (
    <form ref={formRef} noValidate onSubmit={form.onSubmit((values) => asking.mutate(values))}>
      <Stack gap="md">
        <TextInput
          label="Limit"
          description={`Now ${formatNumber(currentLimit)} ${counted[kind]}.`}
          required
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('limit')}
        />
        <Textarea
          label="Reason"
          description="Say what you need it for, and for how long. We also look at your usage of the last 30 days."
          required
          autosize
          minRows={2}
          maxLength={500}
          {...form.getInputProps('reason')}
          onChange={(event) => form.setFieldValue('reason', event.currentTarget.value.replaceAll('\n', ' '))}
        />
        <ErrorAlert error={asking.error} shown={Object.keys(form.values)} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} disabled={asking.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={asking.isPending}>
            Send the request
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
