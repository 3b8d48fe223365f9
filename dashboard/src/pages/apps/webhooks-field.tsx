import { Checkbox, Code, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useId } from 'react';
import type { AppDraft } from './app-draft.ts';
import classes from './apps.module.css';
import { webhookEvents } from './webhook-events.ts';

/** Asks which events an app wants to hear of. What is chosen is stored; delivering them is another matter. */
export function WebhooksField({ fields }: { readonly fields: UseFormReturnType<AppDraft> }) {
  const hint = useId();
  return (
    <Stack gap="sm">
      <div>
        <Switch
          label={
            <Text span inherit fw={600}>
              Webhooks
            </Text>
          }
          aria-describedby={hint}
          {...fields.getInputProps('webhooksEnabled', { type: 'checkbox' })}
        />
        <Text id={hint} size="xs" c="dimmed" mt={2} className={classes.besideSwitch ?? ''}>
          Optional. Choose the events your app wants to hear of. They are not delivered yet: your choice is
          stored for when they are.
        </Text>
      </div>
      {fields.values.webhooksEnabled && (
        <Checkbox.Group
          label="Events"
          className={classes.events ?? ''}
          {...fields.getInputProps('webhookEvents')}
        >
          <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
            {webhookEvents.map(({ about, events }) => (
              <Stack key={about} gap="sm">
                <Text size="sm" c="dimmed">
                  {about}
                </Text>
                {events.map(({ event, words }) => (
                  <Checkbox
                    key={event}
                    value={event}
                    label={words}
                    description={<Code fz="xs">{event}</Code>}
                  />
                ))}
              </Stack>
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </Stack>
  );
}
