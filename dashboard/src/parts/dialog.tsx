import { Modal, type ModalProps } from '@mantine/core';
import { useState } from 'react';

/** A modal that goes away as it was: what it is about is often something else by then. */
export function Dialog(props: ModalProps) {
  const [last, setLast] = useState<ModalProps>();
  if (props.opened && last !== props) setLast(props);
  const shown = props.opened || last === undefined ? props : { ...last, opened: false };
  return <Modal {...shown} onExitTransitionEnd={() => setLast(undefined)} />;
}
