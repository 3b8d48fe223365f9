import { focusManager, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { businessKey } from '../../api/queries.ts';
import { useBusiness } from '../../shell/session-context.ts';

/** Milliseconds between requests for a list while no changes are received. */
const refetchMs = 5_000;

/** Milliseconds until a refused stream is requested again. */
const reopenMs = 10_000;

const Live = createContext(false);

/** Interval of requests; none while changes are received. */
export function useRefetchInterval(): number | false {
  return useContext(Live) ? false : refetchMs;
}

/** Key of everything about the webhooks of an owner. */
export function webhooksKey(businessId: string, applicationId: string | undefined): readonly unknown[] {
  return businessKey(businessId, 'webhooks', applicationId ?? '');
}

interface LiveChangesProps {
  /** App whose webhooks are shown; undefined for those of the business itself. */
  readonly applicationId: string | undefined;
  readonly children: ReactNode;
}

/** Reloads the webhooks of an owner when the server reports a change. */
export function LiveChanges({ applicationId, children }: LiveChangesProps) {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    const query = applicationId === undefined ? '' : `?applicationId=${applicationId}`;
    return listen(`/dashboard-api/businesses/${businessId}/webhook-changes${query}`, {
      onChange: () => void client.invalidateQueries({ queryKey: webhooksKey(businessId, applicationId) }),
      onState: setLive,
    });
  }, [businessId, applicationId, client]);
  return <Live value={isLive}>{children}</Live>;
}

interface Listener {
  readonly onChange: () => void;
  /** Whether changes arrive. */
  readonly onState: (isLive: boolean) => void;
}

/**
 * Listens while the page is visible and attended. A browser has few HTTP/1.1 connections to a server, which hidden tabs would
 * occupy, and each change causes a request that keeps the session alive. Returns a function that stops it.
 */
function listen(url: string, { onChange, onState }: Listener): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
    onState(false);
  };
  const open = () => {
    close();
    if (!focusManager.isFocused()) return;
    source = new EventSource(url);
    source.addEventListener('changed', () => {
      onState(true);
      onChange();
    });
    source.addEventListener('error', () => {
      onState(false);
      // The browser connects again by itself unless it was refused.
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, reopenMs);
    });
  };
  open();
  const unsubscribe = focusManager.subscribe(open);
  return () => {
    unsubscribe();
    close();
  };
}
