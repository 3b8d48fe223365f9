import { type ComponentType, useEffect, useState } from 'react';

/** A component whose code comes when it is needed, or before. */
export interface LazyComponent<Props = object> {
  /** Once it is there. */
  readonly component: ComponentType<Props> | undefined;
  /** Resolves when it is there, or when the browser loads everything anew because it is gone (reload-when-outdated.ts). */
  load(): Promise<void>;
}

/** @param from imports the module that has the component as its default export */
export function lazyComponent<Props>(
  from: () => Promise<{ readonly default: ComponentType<Props> } | undefined>,
): LazyComponent<Props> {
  let component: ComponentType<Props> | undefined;
  return {
    get component() {
      return component;
    },
    load: async () => {
      component ??= (await from())?.default;
    },
  };
}

/**
 * A component, once its code is there. In the place of React's `lazy` and `Suspense`: what they show until then stays for
 * at least 300 ms, and what a component asks for is asked for only when it is shown.
 * @throws what went wrong on the way, while rendering
 */
export function useLazyComponent<Props>(
  lazy: LazyComponent<Props> | undefined,
): ComponentType<Props> | undefined {
  const [, setLoaded] = useState<object>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    lazy?.load().then(() => setLoaded(lazy), setError);
  }, [lazy]);
  if (error !== undefined) throw error;
  return lazy?.component;
}
