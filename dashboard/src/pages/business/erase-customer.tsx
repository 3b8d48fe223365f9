import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCheck, IconClock } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/errors.ts';
import { TypeToConfirmDialog } from '../../components/dialog.tsx';
import { pluralize } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

type Erasure = components['schemas']['CustomerErasure'];

/** Calls that change nothing and only wait, each for some seconds, before the person is asked to come back. */
const maxWaits = 5;

function useEraseCustomer() {
  const { id: businessId } = useBusiness();
  return useMutation({
    mutationFn: async (email: string): Promise<Erasure> => {
      const request = { params: { path: { businessId } }, body: { email } };
      const total = { orders: 0, events: 0, isComplete: false };
      for (let waits = 0; !total.isComplete && waits < maxWaits; ) {
        const { orders, events, isComplete } = await unwrap(
          api.POST('/businesses/{businessId}/customer-erasures', request),
        );
        total.orders += orders;
        total.events += events;
        total.isComplete = isComplete;
        if (events === 0) waits++;
      }
      return total;
    },
  });
}

/** Erases the customer with an email address from all orders. For owners. */
export function EraseCustomerPanel() {
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: (email) => (email.trim() === '' ? 'Enter an email address.' : null) },
  });
  const erasing = useEraseCustomer();
  const [isConfirming, setConfirming] = useState(false);
  const email = form.values.email.trim();
  const erase = () =>
    erasing.mutate(email, {
      onSuccess: () => {
        setConfirming(false);
        form.reset();
      },
      onError: (error) => {
        const errors = fieldErrors(error);
        if (Object.keys(errors).length === 0) return;
        setConfirming(false);
        form.setErrors(errors);
      },
    });
  return (
    <Panel
      title="Erase a customer"
      description="For a person who asks you to delete their data. The orders stay, without the person."
    >
      <form
        noValidate
        aria-label="Erase a customer"
        onSubmit={form.onSubmit(() => {
          erasing.reset();
          setConfirming(true);
        })}
      >
        <Stack gap="md">
          <TextInput
            label="Email address of the customer"
            description="As in the orders; upper and lower case make no difference."
            type="email"
            autoComplete="off"
            maxLength={254}
            maw="28rem"
            {...form.getInputProps('email')}
          />
          {erasing.data !== undefined && <Result erasure={erasing.data} />}
          <Group>
            <Button type="submit" color="red" variant="light">
              Erase customer
            </Button>
          </Group>
        </Stack>
      </form>
      <TypeToConfirmDialog
        name={email}
        title="Erase this customer?"
        action="Erase customer"
        opened={isConfirming}
        onClose={() => {
          erasing.reset();
          setConfirming(false);
        }}
        mutation={erasing}
        onConfirm={erase}
      >
        <Text size="sm">
          In every order of {email}, the name becomes “Erased customer”, and email address and metadata are
          removed; so are they in all earlier events and webhook deliveries. Line items, amounts and dates
          stay. Receivers get an order.updated event for each order; what they stored before, you ask them to
          delete. This cannot be undone.
        </Text>
      </TypeToConfirmDialog>
    </Panel>
  );
}

function Result({ erasure: { orders, events, isComplete } }: { readonly erasure: Erasure }) {
  if (!isComplete) {
    return (
      <Alert color="yellow" icon={<IconClock />} title="Not everything is erased yet" role="status">
        {counts(orders, events)} Webhook deliveries may still have the person. Erase the customer again in
        some minutes.
      </Alert>
    );
  }
  return (
    <Alert color="green" icon={<IconCheck />} role="status">
      {orders + events === 0
        ? 'No order has this email address. Nothing was changed.'
        : counts(orders, events)}
    </Alert>
  );
}

function counts(orders: number, events: number): string {
  return `Erased from ${pluralize(orders, 'order')} and ${pluralize(events, 'event')}.`;
}
