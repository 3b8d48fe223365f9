import { Group, Input, Radio, Stack, Text } from '@mantine/core';
import { Panel } from '../../components/panel.tsx';
import { Loaded } from '../../components/states.tsx';
import { type EmailChoice, type NoticeTopic, useChooseEmail, useNoticeTopics } from './notices.ts';

/** Chooses when each topic is emailed; each change is saved at once. */
export function EmailChoices() {
  const query = useNoticeTopics();
  return (
    <Panel
      title="Emails"
      description="All notices are shown here. Choose which ones you also get by email. Daily: one email, a day after the first notice in it."
    >
      <Loaded query={query}>{(topics) => <TopicChoices topics={topics} />}</Loaded>
    </Panel>
  );
}

const choices: Readonly<Record<EmailChoice, string>> = {
  at_once: 'At once',
  daily: 'Daily',
  off: 'No email',
};

const isChoice = (value: string): value is EmailChoice => value in choices;

function TopicChoices({ topics }: { readonly topics: readonly NoticeTopic[] }) {
  const choose = useChooseEmail();
  return (
    <Stack gap="lg">
      {topics.map(({ topic, label, description, email, isFixed }) =>
        isFixed ? (
          <Input.Wrapper key={topic} label={label} labelElement="div" description={description}>
            <Text size="sm" mt="xs">
              Always emailed at once.
            </Text>
          </Input.Wrapper>
        ) : (
          <Radio.Group
            key={topic}
            label={label}
            description={description}
            value={email}
            onChange={(value) => {
              if (isChoice(value)) choose.mutate({ topic, email: value });
            }}
          >
            <Group gap="lg" mt="xs">
              {Object.entries(choices).map(([value, name]) => (
                <Radio key={value} value={value} label={name} />
              ))}
            </Group>
          </Radio.Group>
        ),
      )}
    </Stack>
  );
}
