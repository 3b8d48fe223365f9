import { Modal, type ModalProps } from '@mantine/core';
import { useState } from 'react';
import { useOpenedLater } from './use-opened-later.ts';

/** A modal that goes away as it was: what it is about is often something else by then. Gives back the focus. */
export function Dialog(given: ModalProps) {
  const opened = useOpenedLater(given.opened);
  const [last, setLast] = useState<ModalProps>();
  if (opened && last !== given) setLast(given);
  const shown = opened || last === undefined ? given : last;
  return <Modal {...shown} opened={opened} onExitTransitionEnd={() => setLast(undefined)} />;
}
