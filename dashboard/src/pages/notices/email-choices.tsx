import { Stack, Switch } from '@mantine/core';
import { Panel } from '../../components/panel.tsx';
import { Loaded } from '../../components/states.tsx';
import { toastError } from '../../components/toast.tsx';
import { type NoticeTopic, useChooseTopics, useNoticeTopics } from './notices.ts';

/** Chooses which topics are emailed; each change is saved at once. */
export function EmailChoices() {
  const query = useNoticeTopics();
  return (
    <Panel title="Emails" description="Everything is shown here. Choose what you also get by email.">
      <Loaded query={query}>{(topics) => <TopicSwitches topics={topics} />}</Loaded>
    </Panel>
  );
}

function TopicSwitches({ topics }: { readonly topics: readonly NoticeTopic[] }) {
  const choose = useChooseTopics();
  const toggle = (topic: string, isOn: boolean) => {
    const others = topics.filter((each) => each.byEmail && each.topic !== topic).map((each) => each.topic);
    choose.mutate(isOn ? [...others, topic] : others, { onError: toastError });
  };
  return (
    <Stack gap="md">
      {topics.map(({ topic, label, description, byEmail, isFixed }) => (
        <Switch
          key={topic}
          label={label}
          description={isFixed ? `${description} Always emailed.` : description}
          checked={byEmail}
          disabled={isFixed || choose.isPending}
          onChange={(event) => toggle(topic, event.currentTarget.checked)}
        />
      ))}
    </Stack>
  );
}
