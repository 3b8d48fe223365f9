import { type ComponentType, useEffect, useState } from 'react';

/** A component whose module is loaded on demand. */
export interface LazyComponent<Props = object> {
  /** Undefined until the module is loaded. */
  readonly component: ComponentType<Props> | undefined;
  /** Loads the module. Also resolves when it no longer exists and the page is about to reload (main.tsx). */
  load(): Promise<void>;
}

/** @param importModule imports the module whose default export is the component */
export function lazyComponent<Props>(
  importModule: () => Promise<{ readonly default: ComponentType<Props> } | undefined>,
): LazyComponent<Props> {
  let component: ComponentType<Props> | undefined;
  return {
    get component() {
      return component;
    },
    load: async () => {
      component ??= (await importModule())?.default;
    },
  };
}

/**
 * The component, or undefined while its module is loading. Used instead of React's `lazy` and `Suspense`, which show a
 * fallback for at least 300 ms and start loading only on first render.
 * @throws the import's error, while rendering
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
