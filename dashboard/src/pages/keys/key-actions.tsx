import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../parts/panel.tsx';
import { Row, Rows } from '../../parts/rows.tsx';
import type { ApiKeyDetail } from './api-keys.ts';

/** The acts that end something. */
export function KeyActions({
  apiKey,
  onRotate,
  onDelete,
}: {
  readonly apiKey: ApiKeyDetail;
  readonly onRotate: () => void;
  readonly onDelete: () => void;
}) {
  const isExpired = apiKey.status === 'expired';
  return (
    <Panel title="Replace or remove">
      <Rows isStacked>
        <Act
          title="Rotate"
          text={
            isExpired
              ? 'An expired key cannot be rotated. Make a second key in its place.'
              : 'Replaces the key string when it may have been seen by others. The old string stops working at once.'
          }
          button={
            <Button variant="default" onClick={onRotate} disabled={isExpired}>
              Rotate key
            </Button>
          }
        />
        <Act
          title="Delete"
          text={
            isExpired
              ? 'Removes the key from the list, for ever.'
              : 'Removes the key for ever. Whatever uses it loses access at once.'
          }
          button={
            <Button variant="outline" color="red" onClick={onDelete}>
              Delete key
            </Button>
          }
        />
      </Rows>
    </Panel>
  );
}

function Act({
  title,
  text,
  button,
}: {
  readonly title: string;
  readonly text: string;
  readonly button: ReactNode;
}) {
  return (
    <Row end={button}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </Row>
  );
}
